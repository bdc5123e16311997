/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops and handshakes, with threads that only say they run managed code. What would go wrong: a
 * thread runs beside a collection, or beside an operation on it; a stop or a handshake never begins
 * or never ends, the registry changes under a requester. The same file runs under ThreadSanitizer
 * (test/run/threads/sanitize_threads.test): `heap` is not atomic, so a thread that runs beside one
 * is a data race.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

enum { THREADS = 4, ROUNDS = 3000, NUMBER = 1 << 30 /* of the first */ };

struct player {
  struct cairn_mutator mutator;
  unsigned random;
  uint64_t stops, asked, looks;
};

static struct player players[THREADS];
static uint64_t heap[THREADS + 1]; /* each its own in managed code; a requester all */

static unsigned next_random(struct player *player)
{
  player->random = player->random * 1103515245u + 12345u;
  return player->random >> 16;
}

/* As the stubs do it. */
static void come_back(struct player *player)
{
  player->mutator.busy = 1;
  cn_stop_become_managed(&player->mutator);
  player->mutator.busy = 0;
}

static void leave(struct player *player)
{
  cn_stop_become_native(&player->mutator);
}

/* A handler that interrupts managed code, and calls native code: no stop may begin meanwhile. */
static void interrupt(struct player *player, ptrdiff_t own)
{
  struct timespec in_native_code = {.tv_nsec = 20000};
  struct cairn_mutator *m = &player->mutator;

  __atomic_fetch_add(&m->interruptions, 1, __ATOMIC_SEQ_CST);
  heap[own]++;
  leave(player);
  nanosleep(&in_native_code, NULL);
  come_back(player);
  heap[own]--;
  __atomic_fetch_add(&m->interruptions, 1, __ATOMIC_SEQ_CST);
}

static void no_farewell(struct cairn_mutator *mutator)
{
  (void)mutator;
}

static void poll(struct player *player)
{
  if (cn_stop_is_requested(&player->mutator))
    cn_stop_answer_requests(&player->mutator);
}

/* A collection: nobody else is at the heap, and the registry is whole. */
static uint64_t stopped; /* the sum at the last one */

static void stop(struct player *player)
{
  struct cairn_mutator *self = player ? &player->mutator : NULL;
  uint64_t sum = 0, count = 0;

  cn_stop_begin(self);
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    count++;
  for (int i = 0; i <= THREADS; i++)
    sum += heap[i]++;
  if (count > THREADS + 1 || sum < stopped) /* the main thread is one, too */
    abort();
  stopped = sum;
  cn_stop_end(self);
}

/* A handshake: the thread that it is with is not at its own. */
static void look(int thread, void *env)
{
  ++*(uint64_t *)env;
  heap[thread - NUMBER]++;
  sched_yield();
}

static void shake_hands(struct player *player)
{
  unsigned whom = next_random(player) % THREADS;
  enum cairn_status status = cairn_handshake((int)(NUMBER + whom), look, &player->looks, UINT64_MAX);

  if (status != CAIRN_OK && status != CAIRN_E_UNKNOWN)
    abort();
  player->asked += status == CAIRN_OK;
}

static void attach(struct player *player)
{
  player->mutator.state = CAIRN_ABI_NATIVE;
  cn_stop_add_mutator(&player->mutator);
}

static void *play(void *argument)
{
  struct player *player = argument;
  ptrdiff_t own = player - players;

  attach(player);
  come_back(player);
  for (int round = 0; round < ROUNDS; round++) {
    heap[own]++;
    poll(player);
    switch (next_random(player) % 64) {
    case 0:
      stop(player);
      player->stops++;
      break;
    case 3:
    case 6:
    case 7:
      interrupt(player, own);
      break;
    case 1:
      leave(player);
      cn_stop_remove_mutator(&player->mutator, no_farewell);
      attach(player);
      come_back(player);
      break;
    case 2:
      leave(player);
      stop(player); /* as native code that collects */
      player->stops++;
      come_back(player);
      break;
    case 4:
    case 5:
      leave(player);
      shake_hands(player);
      come_back(player);
      break;
    default:
      leave(player);
      come_back(player);
    }
  }
  leave(player);
  cn_stop_remove_mutator(&player->mutator, no_farewell);
  return NULL;
}

static void each_stop_is_alone(void **state)
{
  pthread_t threads[THREADS];
  uint64_t sum = 0, stops = 200, asked = 0;

  (void)state;
  cn_os_prepare_thread_fence(true);
  for (int i = 0; i < THREADS; i++) {
    players[i].random = (unsigned)i + 1;
    players[i].mutator.stack_floor = 1;
    players[i].mutator.thread = NUMBER + i;
    assert_int_equal(pthread_create(&threads[i], NULL, play, &players[i]), 0);
  }
  for (uint64_t i = 0; i < stops; i++)
    stop(NULL); /* a thread that is no mutator */
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_true(players[i].stops > 0);
    stops += players[i].stops;
    assert_int_equal(cn_stop_is_requested(&players[i].mutator), false);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_true(players[i].asked > 0);
    assert_int_equal(players[i].asked, players[i].looks);
    assert_int_equal(players[i].mutator.handshake, 0);
    assert_int_equal(players[i].mutator.poll, 0);
    asked += players[i].asked;
  }
  for (int i = 0; i <= THREADS; i++)
    sum += heap[i];
  assert_int_equal(sum, THREADS * ROUNDS + (THREADS + 1) * stops + asked);
}

/* One that stays in native code delays nobody. */
static void native_threads_delay_nobody(void **state)
{
  (void)state;
  attach(&players[0]);
  stop(NULL);
  stop(&players[0]);
  cn_stop_remove_mutator(&players[0].mutator, no_farewell);
}

static void *stop_once(void *argument)
{
  stop(NULL);
  return argument;
}

/* Who goes native tells nobody; the requester looked before. */
static void going_native_ends_the_wait(void **state)
{
  struct timespec while_it_waits = {.tv_nsec = 2000000};
  pthread_t thread;

  (void)state;
  attach(&players[0]);
  come_back(&players[0]);
  assert_int_equal(pthread_create(&thread, NULL, stop_once, NULL), 0);
  while (!cn_stop_is_requested(&players[0].mutator))
    ;
  nanosleep(&while_it_waits, NULL);
  leave(&players[0]);
  assert_int_equal(pthread_join(thread, NULL), 0);
  cn_stop_remove_mutator(&players[0].mutator, no_farewell);
}

/* A thread that does nothing but allocate, in line: it has no poll, and its limit is all that it
 * looks at. */
static _Atomic bool enough;

static void *allocate(void *argument)
{
  struct player *player = argument;
  struct cairn_mutator *m = &player->mutator;
  ptrdiff_t own = player - players;

  attach(player);
  come_back(player);
  while (!enough) {
    heap[own]++;
    if (__atomic_load_n(&m->limit, __ATOMIC_RELAXED) == m->buffer_end)
      continue;
    poll(player);
    cn_poll_word_open_alloc_limit(m);
  }
  leave(player);
  cn_stop_remove_mutator(m, no_farewell);
  return NULL;
}

static void an_allocation_is_a_poll(void **state)
{
  pthread_t threads[THREADS];

  (void)state;
  for (int i = 0; i < THREADS; i++) {
    players[i].mutator.buffer_end = 8 * ((uintptr_t)i + 1);
    assert_int_equal(pthread_create(&threads[i], NULL, allocate, &players[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    while (__atomic_load_n(&players[i].mutator.limit, __ATOMIC_RELAXED) == 0)
      sched_yield();
  for (int i = 0; i < 20; i++) {
    stop(NULL);
    shake_hands(&players[i % THREADS]);
  }
  enough = true;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_stop_is_alone),
      cmocka_unit_test(native_threads_delay_nobody),
      cmocka_unit_test(going_native_ends_the_wait),
      cmocka_unit_test(an_allocation_is_a_poll),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
