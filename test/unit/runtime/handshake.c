/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests from other threads. What would go wrong: a wake-up is lost and somebody waits for ever,
 * an answer goes to another request, a poll stays armed for good, or a thread that was at a
 * safepoint all the time is blamed for a long way to it. The "managed" thread is this file's main
 * loop, which polls as compiled code does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "runtime/core/poll_word.h"
#include "runtime/handshake.h"

enum { MILLISECOND = 1000000, REQUESTERS = 4, REQUESTS = 400 };

extern void cairn_poll_slow(void);
extern void cairn_collect(void);

static void poll(void)
{
  if (__atomic_load_n(&cairn_mutator.poll, __ATOMIC_RELAXED) != 0)
    cairn_poll_slow();
}

static atomic_int running;

static struct result {
  enum cairn_status last;
  struct cairn_arrival arrival;
  int arrived;
} results[REQUESTERS];

static void *request_often(void *env)
{
  struct result *result = env;

  *result = (struct result){0};
  for (int i = 0; i < REQUESTS; i++) {
    result->last = cairn_safepoint_ask(&result->arrival, CAIRN_ASK_FOREVER);
    result->arrived += result->last == CAIRN_OK && result->arrival.pc != 0;
  }
  running--;
  return NULL;
}

static void *request_once(void *env)
{
  struct result *result = env;

  result->last = cairn_safepoint_ask(&result->arrival, CAIRN_ASK_FOREVER);
  running--;
  return NULL;
}

/* Run `count` requesters, polling all the time. */
static void run(void *(*function)(void *), int count)
{
  pthread_t threads[REQUESTERS];

  running = count;
  for (int i = 0; i < count; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, function, &results[i]), 0);
  while (running != 0)
    poll();
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

static void everyone_is_answered(void **state)
{
  (void)state;
  run(request_often, REQUESTERS);
  for (int i = 0; i < REQUESTERS; i++) {
    assert_int_equal(results[i].arrived, REQUESTS);
    assert_int_equal(results[i].arrival.thread, getpid());
    assert_false(results[i].arrival.native);
  }
  assert_int_equal(cairn_mutator.poll, 0);
}

/* Every poll takes the slow path anyway, and goes on to. */
static void under_stress(void **state)
{
  (void)state;
  cn_poll_word_arm(&cairn_mutator, CN_REASON_STRESS);
  run(request_often, 2);
  assert_int_equal(results[0].arrived + results[1].arrived, 2 * REQUESTS);
  assert_int_equal(cairn_mutator.poll, CN_REASON_STRESS);
  cn_poll_word_disarm(&cairn_mutator, CN_REASON_STRESS);
}

static void oneself(void **state)
{
  (void)state;
  assert_int_equal(cairn_safepoint_ask(NULL, CAIRN_ASK_FOREVER), CAIRN_E_SELF);
  assert_int_equal(cairn_mutator.poll, 0);
}

static void *request_in_vain(void *env)
{
  struct result *result = env;

  result->last = cairn_safepoint_ask(&result->arrival, 2 * MILLISECOND);
  return NULL;
}

/* Two wait: the second does not even get to post its own. Then the late poll answers nobody. */
static void in_vain(void **state)
{
  pthread_t threads[2];

  (void)state;
  for (int i = 0; i < 2; i++) {
    results[i].arrival.pc = 42;
    assert_int_equal(pthread_create(&threads[i], NULL, request_in_vain, &results[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(results[i].last, CAIRN_E_TIMEOUT);
    assert_int_equal(results[i].arrival.pc, 42);
  }
  assert_int_equal(cairn_mutator.poll, CN_REASON_HANDSHAKE);
  poll();
  assert_int_equal(cairn_mutator.poll, 0);
  run(request_often, 1);
  assert_int_equal(results[0].arrived, REQUESTS);
}

/* ---- a request during a collection ---- */

static void *request_in_collection(void *env)
{
  return request_once(env);
}

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  (void)initial_bytes;
  (void)max_bytes;
  return CAIRN_OK;
}

static enum cairn_status refuse(struct cairn_mutator *mutator, size_t bytes)
{
  (void)mutator;
  (void)bytes;
  return CAIRN_E_FULL;
}

static pthread_t requester;

static void collect(size_t bytes_needed, bool move_all)
{
  (void)bytes_needed;
  (void)move_all;
  running = 1;
  assert_int_equal(pthread_create(&requester, NULL, request_in_collection, &results[0]), 0);
  while (!cn_poll_word_is_armed(&cairn_mutator, CN_REASON_HANDSHAKE))
    usleep(100);
  usleep(2000);
}

static const struct cairn_collector waiting = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                               .size = sizeof(struct cairn_collector),
                                               .name = "waiting",
                                               .init = init,
                                               .refill = refuse,
                                               .grow = refuse,
                                               .collect = collect};

static void in_a_collection(void **state)
{
  (void)state;
  cairn_set_collector(&waiting);
  cairn_collect();
  pthread_join(requester, NULL);
  assert_int_equal(results[0].last, CAIRN_OK);
  assert_true(results[0].arrival.safepoint);
  assert_int_equal(results[0].arrival.nanoseconds, 0);
}

/* A thread whose request is posted and not answered yet. */
static pthread_t request_and_wait(void)
{
  pthread_t thread;

  running = 1;
  assert_int_equal(pthread_create(&thread, NULL, request_once, &results[0]), 0);
  while (!cn_poll_word_is_armed(&cairn_mutator, CN_REASON_HANDSHAKE))
    usleep(100);
  return thread;
}

/* ---- native code ---- */

/* As the stubs do it for a call of native code that comes back. */
static void native_code_is_told(void **state)
{
  (void)state;
  pthread_t thread = request_and_wait();
  cairn_mutator.transitions++;
  usleep(3000);
  poll();
  pthread_join(thread, NULL);
  assert_true(results[0].arrival.native);
  assert_true(results[0].arrival.nanoseconds > 2 * MILLISECOND);
  /* It slept, so it had no processor for most of that time. */
  assert_true(results[0].arrival.ran < results[0].arrival.nanoseconds / 2);
}

/* ---- ends ---- */

/* A request is open while the process splits: the child's are answered all the same. */
static void child(void **state)
{
  int status;

  (void)state;
  pthread_t thread = request_and_wait();
  pid_t process = fork();
  if (process == 0) {
    alarm(20);
    run(request_often, 2);
    _exit(results[0].arrived == REQUESTS && results[1].arrival.thread == getpid() ? 0 : 1);
  }
  while (running != 0)
    poll();
  pthread_join(thread, NULL);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
}

/* Who waits is let go when the program ends, and nobody waits after that. */
static void program_ends(void **state)
{
  (void)state;
  pthread_t thread = request_and_wait();
  cn_handshake_end();
  pthread_join(thread, NULL);
  assert_int_equal(results[0].last, CAIRN_E_ENDED);
  running = 1;
  assert_int_equal(pthread_create(&thread, NULL, request_once, &results[0]), 0);
  pthread_join(thread, NULL);
  assert_int_equal(results[0].last, CAIRN_E_ENDED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everyone_is_answered),
      cmocka_unit_test(under_stress),
      cmocka_unit_test(oneself),
      cmocka_unit_test(in_vain),
      cmocka_unit_test(in_a_collection),
      cmocka_unit_test(native_code_is_told),
      cmocka_unit_test(child),
      cmocka_unit_test(program_ends),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
