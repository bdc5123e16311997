/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the mutator's side of a handshake (handshake.c draws the states), and the acts of both sides: change
 * the state, and run the operation.
 */
#include "runtime/threads/handshake.h"

#include <pthread.h>
#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

static _Thread_local struct cairn_mutator *examined;
static _Thread_local uintptr_t frame; /* the frame that calls the operation */

struct cairn_mutator *cn_handshake_examined(void)
{
  return examined;
}

bool cn_handshake_is_left(uintptr_t sp)
{
  return examined != NULL && sp > frame;
}

/* ---- the side that runs the operation ---- */

bool cn_handshake_change(struct cairn_mutator *mutator, uint32_t from, uint32_t to)
{
  return atomic_compare_exchange_strong(&mutator->handshake, &from, to);
}

void cn_handshake_run(struct cairn_mutator *mutator)
{
  const struct cn_handshake *request = mutator->request;

  CN_CHECK(examined == NULL && request != NULL && atomic_load(&mutator->handshake) == CN_HANDSHAKE_TAKEN);
  examined = mutator;
  frame = (uintptr_t)__builtin_frame_address(0);
  pthread_cleanup_push(cn_stop_refuse_end, NULL);
  request->operation(mutator->thread, request->env);
  pthread_cleanup_pop(0);
  examined = NULL;
  atomic_store(&mutator->handshake, CN_HANDSHAKE_NONE);
  cn_os_wake(&mutator->handshake);
}

/* ---- the mutator's own thread ---- */

bool cn_handshake_is_requested(const struct cairn_mutator *mutator)
{
  return cn_poll_word_is_armed(mutator, CN_REASON_HANDSHAKE) && atomic_load(&mutator->handshake) != CN_HANDSHAKE_NONE;
}

/* The mutator may take the word before the requester arms the poll, so the requester disarms as well. */
void cn_handshake_answer(struct cairn_mutator *mutator)
{
  CN_ASSERT(mutator->interruptions % 2 == 0); /* walks end at a handler */
  if (cn_handshake_change(mutator, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_TAKEN)) {
    cn_poll_word_disarm(mutator, CN_REASON_HANDSHAKE);
    cn_handshake_run(mutator);
  }
  while (atomic_load(&mutator->handshake) == CN_HANDSHAKE_TAKEN)
    cn_os_wait(&mutator->handshake, CN_HANDSHAKE_TAKEN, UINT64_MAX);
}

void cn_handshake_forked(struct cairn_mutator *self)
{
  atomic_store(&self->handshake, CN_HANDSHAKE_NONE);
  cn_poll_word_disarm(self, CN_REASON_HANDSHAKE);
}
