/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks of coroutines (struct cairn_stack, <cairn/stack.h>), and a thread's own stack while the thread runs on a
 * coroutine's stack. The mutator has the anchors of its current stack; each other stack has its own record of anchors.
 */
#ifndef CN_RUNTIME_WALK_COROUTINE_STACKS_H
#define CN_RUNTIME_WALK_COROUTINE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/stack.h>
#include "runtime/core/mutator.h"

struct cn_stack_view {
  struct cn_anchor *anchor; /* after the youngest (anchors.h) */
  uintptr_t end;
};

/*  Check the stacks. Returns the error, or null. Invariants:
 *   - the stacks are sorted by address, and disjoint
 *   - the record of a stack has its anchors and bounds, or, while a thread runs on the stack, the mutator has them
 * Linear. Called while the caller changes the table, or in phase STOP. */
const char *cn_coroutine_stacks_wrong(void);

/* True if the program has added stacks. If false, each thread runs on its own stack. */
bool cn_coroutine_stacks_exist(void);

/* The coroutine's stack with `sp` in [low, high); may be null. Any thread, in any phase; takes the table's lock, with
 * signals deferred. */
struct cairn_stack *cn_coroutine_stacks_at(uintptr_t sp);

/* In the child of a fork(): free the table's lock, which another thread may have held for a look-up. The table is
 * valid, because its changes exclude the stop of a fork(). */
void cn_coroutine_stacks_reset_in_child(void);

/* True if `sp` lies on a coroutine's stack, or on the thread's own stack, while the thread runs on a different
 * stack. */
bool cn_coroutine_stacks_is_on_other(const struct cairn_mutator *mutator, uintptr_t sp);

/* The data of a stack; null is the thread's own stack. */
struct cn_stack_view cn_coroutine_stacks_view_of(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* True if the program has added stacks, and `address` lies on one of them or on the calling thread's own stack. */
bool cn_coroutine_stacks_have_address(uintptr_t address);

/* True if no thread runs on the stack (null: the mutator's own stack). */
bool cn_coroutine_stacks_is_waiting(const struct cairn_mutator *mutator, const struct cairn_stack *stack);

/* The mutator whose own stack has `sp`, for a walk of `mutator` that a manager has continued there. */
const struct cairn_mutator *cn_coroutine_stacks_owner_of(const struct cairn_mutator *mutator, uintptr_t sp);

struct cn_return_barriers;

/* The pointer to the return barriers of a stack (null: the mutator's own stack). Called in phase STOP by the thread
 * that walks the stack, or by the thread that runs on the stack. */
struct cn_return_barriers **cn_coroutine_stacks_barriers_of(const struct cairn_mutator *mutator,
                                                            struct cairn_stack *stack);

/* True if a code info manager may continue a walk on another stack. */
bool cn_walks_may_cross_stacks(void);

/* Phase STOP, collecting thread. Begin the claims of stacks. A collection finds all activations if it walks from each
 * mutator's current position, claims each stack that a walk reaches, and then walks each unclaimed stack. Ends the
 * program if a thread is not on the stack of its last cairn_stack_switch(). */
void cn_coroutine_stacks_begin_claims(void);

/* Claim a stack (null: the mutator's own stack) for the walk that `name` identifies. False: another walk has claimed
 * the stack. For the stack that a mutator runs on, the mutator is the name. Any thread. */
bool cn_coroutine_stacks_claim_stack(const struct cairn_mutator *mutator, struct cairn_stack *stack, uintptr_t name);

/* The coroutine's stack with this number, counted from 0; null after the last stack. Phase STOP. */
struct cairn_stack *cn_coroutine_stacks_by_number(size_t number);

#endif
