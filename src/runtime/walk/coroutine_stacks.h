/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks of coroutines (struct cairn_stack, <cairn/stack.h>), and the thread's own while it runs on one of them. Each
 * has its anchors: those of the stack that the thread runs on are in the mutator.
 */
#ifndef CN_RUNTIME_WALK_COROUTINE_STACKS_H
#define CN_RUNTIME_WALK_COROUTINE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"

/* The data of a stack that a walk needs. */
struct cn_stack_view {
  struct cn_anchor *anchor; /* after the youngest (anchors.h) */
  uintptr_t end;
};

/*  Check the stacks. Returns the error, or null. These hold:
 *   - they are sorted by their addresses, and disjoint
 *   - each has its own anchors and bounds; those of the stack that the thread runs on are in the mutator
 * Linear. While the caller changes them, or in phase STOP. */
const char *cn_coroutine_stacks_wrong(void);

/* True if there are any. Otherwise each thread runs on its own stack. */
bool cn_coroutine_stacks_exist(void);

/* The stack that `sp` lies in: below its end, from its low bound on. May be null. */
struct cairn_stack *cn_coroutine_stacks_at(uintptr_t sp);

/* True if `sp` lies on one of them, or on the thread's own stack, while the thread runs on another. */
bool cn_coroutine_stacks_is_on_other(const struct cairn_mutator *mutator, uintptr_t sp);

/* `stack` may be null: the thread's own. */
struct cn_stack_view cn_coroutine_stacks_view_of(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* True if `address` lies on any of them, or on the thread's own stack while it runs on one. */
bool cn_coroutine_stacks_have_address(uintptr_t address);

/* True if no thread runs on that stack (null: the mutator's own). */
bool cn_coroutine_stacks_is_waiting(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* The mutator with `sp` on its own stack, for a walk of `mutator` that a manager has led there. */
const struct cairn_mutator *cn_coroutine_stacks_owner_of(const struct cairn_mutator *mutator, uintptr_t sp);

struct cn_return_barriers;

/* The place of the stack's return barriers (null: the mutator's own stack). Phase STOP, the thread that walks the
 * stack; or the thread that runs on it. */
struct cn_return_barriers **cn_coroutine_stacks_barriers_of(const struct cairn_mutator *mutator,
                                                            struct cairn_stack *stack);

/* True if a walk may lead from one stack to another. Code info managers can have it do so. */
bool cn_walks_may_cross_stacks(void);

/* Phase STOP, collecting thread. To find all activations: begin; walk from each mutator's place, and claim each stack
 * that the walk comes to; then walk each unclaimed stack. Ends the program if a thread runs on another stack than
 * cairn_stack_switch() was told. */
void cn_coroutine_stacks_begin_claims(void);

/* Claim a stack (null: the mutator's own) for the walk of this name. False: another walk has it. The stack that a
 * mutator runs on is claimed in the mutator's name. Any thread. */
bool cn_coroutine_stacks_claim_stack(const struct cairn_mutator *mutator, struct cairn_stack *stack, uintptr_t name);

/* The stack with this number, from 0 on; null past the last one. Phase STOP. */
struct cairn_stack *cn_coroutine_stacks_by_number(size_t number);

#endif
