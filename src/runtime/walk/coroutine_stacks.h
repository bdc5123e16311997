/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks that are no thread's (struct cairn_stack, <cairn/stack.h>), and the thread's own while it
 * is on one of them. Each has its anchors: those of the stack that the thread is on are in the
 * mutator.
 */
#ifndef CN_RUNTIME_WALK_COROUTINE_STACKS_H
#define CN_RUNTIME_WALK_COROUTINE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"

/* What a walk needs of a stack. */
struct cn_stack_view {
  struct cn_anchor *anchor; /* after the youngest (anchors.h) */
  uintptr_t end;
};

/* What is wrong with them; null: nothing. It holds that
 *   - they are sorted by their addresses, and none overlaps the next
 *   - each has anchors and bounds of its own; those of the stack that the thread is on are in the
 *     mutator
 * Linear. While the caller changes them, or in phase STOP. */
const char *cn_coroutine_stacks_wrong(void);

/* Are there any? If not, each thread is on its own stack. */
bool cn_coroutine_stacks_any(void);

/* The stack that `sp` lies in: below its end, from its low bound on. Null: none. */
struct cairn_stack *cn_coroutine_stacks_at(uintptr_t sp);

/* Does `sp` lie on one of them, or on the thread's own stack, while the thread is on another? */
bool cn_coroutine_stacks_elsewhere(const struct cairn_mutator *mutator, uintptr_t sp);

/* `stack` may be null: the thread's own. */
struct cn_stack_view cn_coroutine_stacks_view(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* True if `address` lies on any of them, or on the thread's own stack while it is on one. */
bool cn_coroutine_stacks_hold(uintptr_t address);

/* Is no thread on that stack (null: the mutator's own)? */
bool cn_coroutine_stacks_waits(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* The mutator on whose own stack `sp` lies, for a walk of `mutator` that a manager has led there.
 */
const struct cairn_mutator *cn_coroutine_stacks_owner(const struct cairn_mutator *mutator, uintptr_t sp);

struct cn_return_barriers;

/* The place of the stack's return barriers (null: the mutator's own stack). Phase STOP, the thread
 * that walks the stack; or the thread that is on it. */
struct cn_return_barriers **cn_coroutine_stacks_barriers(const struct cairn_mutator *mutator,
                                                         struct cairn_stack *stack);

/* May a walk lead from one stack to another? Code info managers can have it do so. */
bool cn_coroutine_stacks_lead_on(void);

/* Phase STOP, collecting thread. To find all activations: begin; walk from where each mutator is,
 * and claim each stack that this leads to; then walk each stack that nobody claimed. Ends the
 * program if a thread is on another stack than cairn_stack_switch() was told. */
void cn_coroutine_stacks_begin(void);

/* Claim a stack (null: the mutator's own) for the walk of this name. False: another has it. The
 * stack that a mutator is on is claimed in the mutator's name. Any thread. */
bool cn_coroutine_stacks_claim(const struct cairn_mutator *mutator, struct cairn_stack *stack, uintptr_t name);

/* The stack with this number, from 0 on; null: there are no more. Phase STOP. */
struct cairn_stack *cn_coroutine_stacks_number(size_t number);

#endif
