/* SPDX-License-Identifier: Apache-2.0
 *
 * The only way to send a thread into the slow path of its next poll, and to let it run on. Any
 * thread may call these at any time; they never wait.
 */
#ifndef CN_RUNTIME_CORE_POLL_WORD_H
#define CN_RUNTIME_CORE_POLL_WORD_H

#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/core/mutator.h"

_Static_assert((CAIRN_ABI_POLL_HANDSHAKE | CAIRN_ABI_POLL_STOP) == CAIRN_ABI_POLL_BACK, "abi.def");

/* Reasons to stop: bits of the poll word. The thread runs on when no bit is left. */
enum cn_reason {
  CN_REASON_STRESS = 1, /* always: every poll is a safepoint; also before the thread is attached */
  CN_REASON_HANDSHAKE = CAIRN_ABI_POLL_HANDSHAKE, /* a thread waits for it (threads/handshake.h) */
  CN_REASON_COLLECT = 4, /* a signal handler that interrupted managed code wants a collection */
  CN_REASON_STOP = CAIRN_ABI_POLL_STOP, /* a thread wants to stop this one (threads/stop.h) */
};

void cn_poll_word_arm(struct cairn_mutator *mutator, enum cn_reason reason);
void cn_poll_word_disarm(struct cairn_mutator *mutator, enum cn_reason reason);

/* Set the stack limit to what the poll word says, after stack_floor has changed. */
void cn_poll_word_arm_limit(struct cairn_mutator *mutator);

/* At a poll: lower the stack limit, if a slow thread raised it after the poll was disarmed. */
void cn_poll_word_settle(struct cairn_mutator *mutator);

/* Is the thread to stop for this reason? */
bool cn_poll_word_is_armed(const struct cairn_mutator *mutator, enum cn_reason reason);

#endif
