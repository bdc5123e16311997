/* SPDX-License-Identifier: Apache-2.0
 *
 * The validators of what threads share: the registry of mutators, handshakes, chunks of anchors,
 * handles, interruptions by signals. An error is planted in each place that one looks at.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/plant.h"
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/anchors.h"
#include "runtime/core/hooks.h"
#include "runtime/core/mutator.h"
#include "runtime/core/poll_word.h"
#include "runtime/roots/roots.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"

static struct cairn_mutator one = {.state = CAIRN_ABI_NATIVE, .thread = 1 << 30},
                            other = {.state = CAIRN_ABI_NATIVE, .thread = (1 << 30) + 1};

static void no_farewell(struct cairn_mutator *mutator)
{
  (void)mutator;
}

static void registry(void **state)
{
  const char *more = "registry: links differ, or there are more mutators than it counts";

  (void)state;
  cn_stop_add_mutator(&one);
  cn_stop_add_mutator(&other);
  assert_int_equal(cairn_mutator_count(), 3); /* the main thread's, too */
  cn_stop_exclude_stops();
  PLANT(one.previous, &one, cn_stop_registry_wrong(), more);
  PLANT(other.previous, &one, cn_stop_registry_wrong(), more);
  PLANT(one.next, &one, cn_stop_registry_wrong(), more);
  PLANT(one.next, NULL, cn_stop_registry_wrong(), "registry: there are fewer mutators than it counts");
  cn_stop_permit_stops();
  cn_stop_remove_mutator(&other, no_farewell);
  cn_stop_remove_mutator(&one, no_farewell);
  assert_null(cn_stop_registry_wrong());
}

static void handshakes(void **state)
{
  (void)state;
  cn_stop_add_mutator(&one);
  cn_stop_exclude_stops();
  assert_null(cn_handshake_wrong());
  atomic_store(&one.handshake, 1);
  found(cn_handshake_wrong(), "handshake: a mutator has a request, and there is no requester");
  atomic_store(&one.handshake, 0);
  PLANT(one.poll, CN_POLL_REASON_HANDSHAKE, cn_handshake_wrong(),
        "handshake: a poll is armed, and there is no requester");
  cn_stop_permit_stops();
  cn_stop_remove_mutator(&one, no_farewell);
}

static void spare_chunks(void **state)
{
  const char *wrong = "anchors: a chunk of no stack is not aligned, or is followed by too many";
  struct cn_anchor *oldest = cn_anchors_allocate();
  struct cn_anchor_chunk *chunk = cn_anchors_chunk_of(oldest);

  (void)state;
  assert_non_null(oldest);
  cn_anchors_return_chunks(oldest);
  PLANT(chunk->number, 64, cn_anchors_spare_wrong(), wrong);
  PLANT(chunk->next, (struct cn_anchor_chunk *)((char *)chunk + 64), cn_anchors_spare_wrong(), wrong);
}

struct cairn_handle *cairn_handle_new(uintptr_t reference);
void cairn_handle_free(struct cairn_handle *handle);

/* A cell has its reference, its seal, the next one of the list, and whether it is a scope's. */
static void handles(void **state)
{
  const char *cycle = "handles: the list of unused ones has one that is in use, or a cycle";
  struct cairn_handle *handle = cairn_handle_new(0), *used = cairn_handle_new(0);
  uintptr_t *cell = (uintptr_t *)handle, *other_cell = (uintptr_t *)used;

  (void)state;
  uintptr_t seal = cell[1];
  PLANT(other_cell[1], 0, cn_handles_wrong(), "handles: a cell is neither in use nor in the list");
  cairn_handle_free(handle);
  PLANT(cell[1], seal, cn_handles_wrong(), cycle);
  PLANT(cell[2], (uintptr_t)cell, cn_handles_wrong(), cycle);
  PLANT(cell[2], 0, cn_handles_wrong(), "handles: a cell is neither in use nor in the list");
  cairn_handle_free(used);
}

static volatile sig_atomic_t handled;

/* Of a signal that interrupted managed code: the thread has an entry for it, which begins with the
 * handler's frame and the end of its stack. */
static void on_signal(int number)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  (void)number;
  PLANT(mutator->interruptions, mutator->interruptions + 1, cn_signals_wrong(),
        "signals: requesters do not see that managed code is interrupted");
  PLANT(((uintptr_t *)mutator->interrupted)[1], UINTPTR_MAX, cn_signals_wrong(),
        "signals: a handler's frame does not lie on its stack");
  PLANT(mutator->interrupted, NULL, cn_signals_wrong(), "signals: an interruption has no entry");
  handled++;
}

static void interruptions(void **state)
{
  struct cairn_mutator *mutator = cn_mutator_get_attached(0);
  struct sigaction action = {.sa_handler = on_signal};

  (void)state;
  assert_null(cn_signals_wrong());
  assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
  mutator->state = CAIRN_ABI_MANAGED;
  raise(SIGUSR1);
  mutator->state = CAIRN_ABI_NATIVE;
  assert_int_equal(handled, 1);
  assert_null(cn_signals_wrong());
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registry), cmocka_unit_test(handshakes),    cmocka_unit_test(spare_chunks),
      cmocka_unit_test(handles),  cmocka_unit_test(interruptions),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
