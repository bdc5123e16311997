/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the mutator's side of a handshake (handshake.c draws the states), and the functions of both sides, which
 * change the state and run the operation. Runs on the mutator's own thread or the requester's, in phase MUTATE; the
 * requester holds the lock of stops. Owns two thread-local variables: the mutator of the running operation, and the
 * operation's frame, which jumps must not leave.
 */
#include "runtime/threads/handshake.h"

#include <pthread.h>
#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

static _Thread_local struct cairn_mutator *examined_mutator;
static _Thread_local uintptr_t operation_frame; /* address of the frame that calls the operation */

struct cairn_mutator *cn_handshake_examined_mutator(void)
{
  return examined_mutator;
}

bool cn_handshake_is_left_by_jump(uintptr_t sp)
{
  return examined_mutator != NULL && sp > operation_frame;
}

/* ---- the side that runs the operation ---- */

bool cn_handshake_change_state(struct cairn_mutator *mutator, uint32_t from, uint32_t to)
{
  return atomic_compare_exchange_strong(&mutator->handshake, &from, to);
}

void cn_handshake_run_operation(struct cairn_mutator *mutator)
{
  const struct cn_handshake *request = mutator->request;

  CN_CHECK(examined_mutator == NULL && request != NULL && atomic_load(&mutator->handshake) == CN_HANDSHAKE_TAKEN);
  examined_mutator = mutator;
  operation_frame = (uintptr_t)__builtin_frame_address(0);
  pthread_cleanup_push(cn_stop_refuse_thread_end, NULL);
  request->operation(mutator->thread, request->env);
  pthread_cleanup_pop(0);
  examined_mutator = NULL;
  atomic_store(&mutator->handshake, CN_HANDSHAKE_NONE);
  cn_os_wake_all(&mutator->handshake);
}

/* ---- the mutator's own thread ---- */

bool cn_handshake_is_requested(const struct cairn_mutator *mutator)
{
  return cn_poll_word_is_armed(mutator, CN_POLL_REASON_HANDSHAKE) &&
         atomic_load(&mutator->handshake) != CN_HANDSHAKE_NONE;
}

/* The mutator may set TAKEN before the requester arms the poll, so the requester disarms the poll, too. */
void cn_handshake_answer(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->interruptions % 2 == 0); /* a walk from a handler would end the program */
  if (cn_handshake_change_state(mutator, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_TAKEN)) {
    cn_poll_word_disarm(mutator, CN_POLL_REASON_HANDSHAKE);
    cn_handshake_run_operation(mutator);
  }
  while (atomic_load(&mutator->handshake) == CN_HANDSHAKE_TAKEN)
    cn_os_wait_on_word(&mutator->handshake, CN_HANDSHAKE_TAKEN, UINT64_MAX);
}

void cn_handshake_reset_after_fork(struct cairn_mutator *self)
{
  atomic_store(&self->handshake, CN_HANDSHAKE_NONE);
  cn_poll_word_disarm(self, CN_POLL_REASON_HANDSHAKE);
}
