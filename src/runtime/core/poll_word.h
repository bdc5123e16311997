/* SPDX-License-Identifier: Apache-2.0
 *
 * The only way to send a thread into the slow path of its next poll, or of its next allocation in
 * line, whichever comes first, and to let it run on. Any thread may call these at any time, but for
 * those that say otherwise; they never wait.
 */
#ifndef CN_RUNTIME_CORE_POLL_WORD_H
#define CN_RUNTIME_CORE_POLL_WORD_H

#include <stdint.h>
#include "runtime/core/mutator.h"

void cn_poll_word_arm(struct cairn_mutator *mutator, enum cn_reason reason);
void cn_poll_word_disarm(struct cairn_mutator *mutator, enum cn_reason reason);

/* Set the stack limit to what the poll word says, after stack_floor has changed. */
void cn_poll_word_arm_limit(struct cairn_mutator *mutator);

/* Let allocations in line have the buffer up to its end, unless the poll word is not zero. The
 * mutator's own thread, or phase STOP: nobody else knows which buffer it has. So an allocation's
 * limit may be 0 for longer than the word is set, up to the end of the thread's next slow path. */
void cn_poll_word_open_buffer(struct cairn_mutator *mutator);

/* At a poll: lower the stack limit, if a slow thread raised it after the poll was disarmed. */
void cn_poll_word_settle(struct cairn_mutator *mutator);

/* Is the thread to stop for this reason? */
bool cn_poll_word_is_armed(const struct cairn_mutator *mutator, enum cn_reason reason);

#endif
