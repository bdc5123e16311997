/* SPDX-License-Identifier: Apache-2.0
 *
 * Poll words: the only means to send a thread into the slow path of its next poll, or of its next inline allocation,
 * whichever comes first, and to let it run on. Any thread may call these at any time, except where a comment says
 * otherwise; they return at once.
 */
#ifndef CN_RUNTIME_CORE_POLL_WORD_H
#define CN_RUNTIME_CORE_POLL_WORD_H

#include <stdint.h>
#include "runtime/core/mutator.h"

void cn_poll_word_arm(struct cairn_mutator *mutator, enum cn_poll_reason reason);
void cn_poll_word_disarm(struct cairn_mutator *mutator, enum cn_poll_reason reason);

/* Set the stack limit by the poll word, after stack_floor has changed. */
void cn_poll_word_set_stack_limit(struct cairn_mutator *mutator);

/* Let inline allocations use the buffer up to its end, unless the poll word is set. The mutator's own thread, or
 * phase STOP: other threads do not know its buffer. So an allocation's limit may stay 0 after the word is cleared,
 * up to the end of the thread's next slow path. */
void cn_poll_word_open_alloc_limit(struct cairn_mutator *mutator);

/* At a poll: lower the stack limit, if a slow thread raised it after the poll was disarmed. */
void cn_poll_word_lower_stack_limit(struct cairn_mutator *mutator);

/* True if the thread is to stop for this reason. */
bool cn_poll_word_is_armed(const struct cairn_mutator *mutator, enum cn_poll_reason reason);

#endif
