/* SPDX-License-Identifier: Apache-2.0
 *
 * Arms and disarms polls, and sets the limits of stacks and allocation buffers, which send a thread into a slow path.
 * The words are in the mutators; the file has no state. Compiled code reads the poll word, the stack limit and the
 * allocation buffer's limit by plain loads; this file always accesses them atomically. Runs on any thread, in any
 * phase, without locks; only the mutator's own thread, or a thread in phase STOP, opens the allocation limit.
 * test/model/limit.pml is the model of this file.
 */
#include "runtime/core/poll_word.h"

#include "base/check.h"

/* True if the reason is one bit that a slow path handles. */
static bool is_stop_reason(enum cn_poll_reason reason)
{
  return reason == CN_POLL_REASON_STRESS || reason == CN_POLL_REASON_HANDSHAKE || reason == CN_POLL_REASON_COLLECT ||
         reason == CN_POLL_REASON_STOP || reason == CN_POLL_REASON_MARK || reason == CN_POLL_REASON_HEAP;
}

void cn_poll_word_arm(struct cairn_mutator *mutator, enum cn_poll_reason reason)
{
  CN_ASSERT(mutator != NULL && is_stop_reason(reason));
  __atomic_fetch_or(&mutator->poll, (uint64_t)reason, __ATOMIC_SEQ_CST);
  __atomic_store_n(&mutator->stack_limit, UINTPTR_MAX, __ATOMIC_SEQ_CST);
  __atomic_store_n(&mutator->limit, 0, __ATOMIC_SEQ_CST);
}

/* Raises the limit before the word is read, so that a thread that arms a poll in between lowers the limit again. */
void cn_poll_word_open_alloc_limit(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->alloc <= mutator->buffer_end);
  __atomic_store_n(&mutator->limit, mutator->buffer_end, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&mutator->poll, __ATOMIC_SEQ_CST) != 0)
    __atomic_store_n(&mutator->limit, 0, __ATOMIC_SEQ_CST);
}

/* Lowers the limit before the word is read, so that a thread that arms a poll in between raises the limit again. */
void cn_poll_word_set_stack_limit(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->stack_floor != UINTPTR_MAX); /* UINTPTR_MAX is the value that sends polls into the slow path */
  __atomic_store_n(&mutator->stack_limit, mutator->stack_floor, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&mutator->poll, __ATOMIC_SEQ_CST) != 0)
    __atomic_store_n(&mutator->stack_limit, UINTPTR_MAX, __ATOMIC_SEQ_CST);
}

/* Callers disarm before they read the request, so that a request in between arms the poll again. */
void cn_poll_word_disarm(struct cairn_mutator *mutator, enum cn_poll_reason reason)
{
  CN_ASSERT(is_stop_reason(reason));
  __atomic_fetch_and(&mutator->poll, ~(uint64_t)reason, __ATOMIC_SEQ_CST);
  cn_poll_word_set_stack_limit(mutator);
}

void cn_poll_word_lower_stack_limit(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator == &cairn_mutator && mutator->attached);
  if (__atomic_load_n(&mutator->poll, __ATOMIC_SEQ_CST) == 0 &&
      __atomic_load_n(&mutator->stack_limit, __ATOMIC_SEQ_CST) == UINTPTR_MAX)
    cn_poll_word_set_stack_limit(mutator);
}

bool cn_poll_word_is_armed(const struct cairn_mutator *mutator, enum cn_poll_reason reason)
{
  return (__atomic_load_n(&mutator->poll, __ATOMIC_SEQ_CST) & (uint64_t)reason) != 0;
}
