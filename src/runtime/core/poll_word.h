/* SPDX-License-Identifier: Apache-2.0
 *
 * Poll words. Setting a thread's poll word sends the thread into the slow path of its next poll or inline allocation;
 * clearing the word lets the thread run on. Any thread may call these functions at any time, unless a comment says
 * otherwise; they return at once.
 */
#ifndef CN_RUNTIME_CORE_POLL_WORD_H
#define CN_RUNTIME_CORE_POLL_WORD_H

#include <stdint.h>
#include "runtime/core/mutator.h"

void cn_poll_word_arm(struct cairn_mutator *mutator, enum cn_poll_reason reason);
void cn_poll_word_disarm(struct cairn_mutator *mutator, enum cn_poll_reason reason);

/* Set the stack limit by stack_floor and the poll word, after a change of stack_floor. */
void cn_poll_word_set_stack_limit(struct cairn_mutator *mutator);

/* Let inline allocations use the buffer up to its end, unless the poll word is set. Called by the mutator's own thread,
 * or in phase STOP: only then is the buffer's end stable. The allocation limit may therefore stay 0 after the word is
 * cleared, up to the end of the thread's next slow path. */
void cn_poll_word_open_alloc_limit(struct cairn_mutator *mutator);

/* Called at a poll: lower the stack limit again if another thread raised it late, after the poll was disarmed. */
void cn_poll_word_lower_stack_limit(struct cairn_mutator *mutator);

bool cn_poll_word_is_armed(const struct cairn_mutator *mutator, enum cn_poll_reason reason);

#endif
