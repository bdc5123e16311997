/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests handshakes that other threads request. Failures: a lost wake-up, so that a thread waits for ever; an operation
 * that runs twice, never, or while managed code runs; a poll that stays armed; native code that is reported as managed
 * code. The "managed" threads are threads of this file, which poll as compiled code does.
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
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <cairn/thread.h>
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"
#include "unit/as_managed.h"

enum { MILLISECOND = 1000000, REQUESTERS = 4, REQUESTS = 400 };

extern void cairn_poll_slow(void);
extern void cairn_collect(void);

/* In line without optimisation, too: its caller passes for managed code. */
__attribute__((always_inline)) static inline void poll(void)
{
  if (__atomic_load_n(&cairn_mutator.poll, __ATOMIC_RELAXED) != 0)
    cairn_poll_slow();
}

static void become_managed(void)
{
  cairn_mutator.busy = 1;
  cn_stop_become_managed(&cairn_mutator);
  cairn_mutator.busy = 0;
}

static void become_native(void)
{
  cn_stop_become_native(&cairn_mutator);
}

static bool is_armed(void)
{
  return cn_poll_word_is_armed(&cairn_mutator, CN_POLL_REASON_HANDSHAKE);
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
    result->last = cairn_safepoint_ask(0, &result->arrival, CAIRN_ASK_FOREVER);
    result->arrived += result->last == CAIRN_OK && result->arrival.pc != 0;
  }
  running--;
  return NULL;
}

static void *request_once(void *env)
{
  struct result *result = env;

  result->last = cairn_safepoint_ask(0, &result->arrival, CAIRN_ASK_FOREVER);
  running--;
  return NULL;
}

/* Run `count` requesters, polling all the time. */
AS_MANAGED static void run(void *(*function)(void *), int count)
{
  pthread_t threads[REQUESTERS];

  running = count;
  become_managed();
  for (int i = 0; i < count; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, function, &results[i]), 0);
  while (running != 0)
    poll();
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  become_native();
}

static void everyone_is_answered(void **state)
{
  (void)state;
  cn_poll_word_disarm(&cairn_mutator, CN_POLL_REASON_HEAP); /* no managed code runs here */
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
  cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_STRESS);
  run(request_often, 2);
  assert_int_equal(results[0].arrived + results[1].arrived, 2 * REQUESTS);
  assert_int_equal(cairn_mutator.poll, CN_POLL_REASON_STRESS);
  cn_poll_word_disarm(&cairn_mutator, CN_POLL_REASON_STRESS);
}

/* ---- the operation ---- */

static struct {
  int runs, runner;
  enum cairn_status own, other, nested;
} seen;

static void look(int thread, void *env)
{
  struct cairn_stack_iterator iterator;

  seen.runs++;
  seen.runner = cn_os_thread();
  seen.own = cairn_stack_of_thread(&iterator, thread);
  seen.other = cairn_stack_of_thread(&iterator, thread + 1);
  seen.nested = cairn_handshake(thread, look, env, CAIRN_ASK_FOREVER);
}

static void check_seen(int runs, int runner)
{
  assert_int_equal(seen.runs, runs);
  if (runner != 0)
    assert_int_equal(seen.runner, runner);
  assert_int_equal(seen.own, CAIRN_OK);
  assert_int_equal(seen.other, CAIRN_E_UNKNOWN);
  assert_int_equal(seen.nested, CAIRN_E_BUSY);
  seen.runs = seen.runner = 0;
}

static void *shake_hands(void *env)
{
  struct result *result = env;

  result->last = cairn_handshake(getpid(), look, NULL, CAIRN_ASK_FOREVER);
  running--;
  return NULL;
}

/* The thread itself runs it at a poll; who requests does where nobody polls. */
static void who_runs_it(void **state)
{
  pthread_t thread;

  (void)state;
  run(shake_hands, 1);
  assert_int_equal(results[0].last, CAIRN_OK);
  check_seen(1, getpid());
  assert_int_equal(pthread_create(&thread, NULL, shake_hands, &results[0]), 0);
  pthread_join(thread, NULL);
  check_seen(1, 0);
  assert_int_not_equal(seen.runner, getpid());
  assert_int_equal(cairn_handshake(0, look, NULL, 0), CAIRN_OK);
  check_seen(1, getpid());
  assert_int_equal(cairn_handshake_all(look, NULL, 0), CAIRN_OK);
  check_seen(1, getpid());
  assert_int_equal(cairn_mutator.poll, 0);
}

static void oneself(void **state)
{
  (void)state;
  assert_int_equal(cairn_safepoint_ask(0, NULL, CAIRN_ASK_FOREVER), CAIRN_E_SELF);
  assert_int_equal(cairn_safepoint_ask(getpid(), NULL, CAIRN_ASK_FOREVER), CAIRN_E_SELF);
  assert_int_equal(cairn_mutator.poll, 0);
}

static void nobody(void **state)
{
  (void)state;
  assert_int_equal(cairn_handshake(-1, look, NULL, CAIRN_ASK_FOREVER), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_handshake(1, look, NULL, CAIRN_ASK_FOREVER), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_safepoint_ask(-2, NULL, CAIRN_ASK_FOREVER), CAIRN_E_UNKNOWN);
  become_managed(); /* others could wait for it */
  assert_int_equal(cairn_handshake(0, look, NULL, CAIRN_ASK_FOREVER), CAIRN_E_BUSY);
  become_native();
  cairn_mutator.interruptions++; /* in a handler */
  assert_int_equal(cairn_handshake(0, look, NULL, CAIRN_ASK_FOREVER), CAIRN_E_BUSY);
  cairn_mutator.interruptions++;
  assert_int_equal(seen.runs, 0);
}

static void *request_in_vain(void *env)
{
  struct result *result = env;

  result->last = cairn_safepoint_ask(0, &result->arrival, 2 * MILLISECOND);
  return NULL;
}

/* Two wait: the second does not even get to post its own. Then a late poll answers nobody. */
static void in_vain(void **state)
{
  pthread_t threads[2];

  (void)state;
  become_managed();
  for (int i = 0; i < 2; i++) {
    results[i].arrival.pc = 42;
    assert_int_equal(pthread_create(&threads[i], NULL, request_in_vain, &results[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(results[i].last, CAIRN_E_TIMEOUT);
    assert_int_equal(results[i].arrival.pc, 42);
  }
  assert_int_equal(cairn_mutator.poll, 0);
  become_native();
  run(request_often, 1);
  assert_int_equal(results[0].arrived, REQUESTS);
}

/* A thread whose request is posted and not answered yet; this one is managed. */
static pthread_t request_and_wait(void)
{
  pthread_t thread;

  become_managed();
  running = 1;
  assert_int_equal(pthread_create(&thread, NULL, request_once, &results[0]), 0);
  while (!is_armed())
    usleep(100);
  return thread;
}

/* ---- native code ---- */

/* Answered by the requester, or on the way back: the time was native code's either way. */
static void native_code_is_told(void **state)
{
  (void)state;
  pthread_t thread = request_and_wait();
  become_native();
  pthread_join(thread, NULL);
  assert_int_equal(results[0].last, CAIRN_OK);
  assert_true(results[0].arrival.native);
  assert_int_equal(cairn_mutator.poll, 0);
  running = 1;
  assert_int_equal(pthread_create(&thread, NULL, request_once, &results[0]), 0);
  pthread_join(thread, NULL);
  assert_true(results[0].arrival.native);
  assert_int_equal(results[0].arrival.nanoseconds, 0);
}

/* A handler that interrupted managed code does not answer, though it polls and calls native code.
 */
static void handlers_do_not_answer(void **state)
{
  (void)state;
  pthread_t thread = request_and_wait();
  cairn_mutator.interruptions++;
  cn_stop_answer_requests(&cairn_mutator);
  become_native();
  usleep(1000);
  become_managed();
  assert_true(is_armed());
  cairn_mutator.interruptions++;
  poll();
  assert_false(is_armed());
  pthread_join(thread, NULL);
  become_native();
  assert_int_equal(results[0].last, CAIRN_OK);
}

static void sleep_there(int thread, void *env)
{
  (void)thread;
  atomic_store((atomic_int *)env, 1);
  usleep(20000);
  atomic_store((atomic_int *)env, 2);
}

static atomic_int step;

static void *hold(void *env)
{
  cairn_handshake(getpid(), sleep_there, &step, CAIRN_ASK_FOREVER);
  return env;
}

/* Who comes back while the requester runs the operation waits for its end. */
static void the_way_back_waits(void **state)
{
  pthread_t thread;

  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, hold, NULL), 0);
  while (step == 0)
    usleep(100);
  become_managed();
  assert_int_equal(step, 2);
  become_native();
  pthread_join(thread, NULL);
}

/* ---- ends ---- */

/* A process splits when no request is open. */
static void child(void **state)
{
  int status;

  (void)state;
  pthread_t thread = request_and_wait();
  become_native();
  pid_t process = fork();
  if (process == 0) {
    alarm(20);
    run(request_often, 2);
    _exit(results[0].arrived == REQUESTS && results[1].arrival.thread == getpid() ? 0 : 1);
  }
  pthread_join(thread, NULL);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
}

static void note_thread(int thread, void *noted)
{
  *(int *)noted = thread;
}

/* Ends with the status of a child, whose main thread is this one. */
static void *fork_beside_main(void *env)
{
  int *status = env, noted = 0;

  cairn_thread_attach();
  pid_t process = fork();
  if (process == 0)
    _exit(cairn_handshake(0, note_thread, &noted, CAIRN_ASK_FOREVER) == CAIRN_OK && noted == getpid() ? 0 : 1);
  assert_int_equal(waitpid(process, status, 0), process);
  return NULL;
}

static void child_of_other_thread(void **state)
{
  pthread_t thread;
  int status = -1;

  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, fork_beside_main, &status), 0);
  pthread_join(thread, NULL);
  assert_int_equal(status, 0);
}

/* The main thread is detached: it has ended as far as the runtime knows. */
static void main_thread_without_mutator(void **state)
{
  (void)state;
  pid_t process = fork();
  if (process == 0) {
    cairn_thread_detach();
    _exit(cairn_handshake(0, look, NULL, CAIRN_ASK_FOREVER) == CAIRN_E_ENDED &&
                  cairn_handshake(getpid(), look, NULL, CAIRN_ASK_FOREVER) == CAIRN_E_UNKNOWN
              ? 0
              : 1);
  }
  int status;
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
}

/* In a handler, for which the split does not wait. */
static void child_of_handler(void **state)
{
  int status;

  (void)state;
  pthread_t thread = request_and_wait();
  cairn_mutator.interruptions++;
  pid_t process = fork();
  if (process == 0) {
    alarm(20);
    cairn_mutator.interruptions++;
    bool open = is_armed();
    become_native();
    run(request_often, 2);
    _exit(!open && results[0].arrived == REQUESTS ? 0 : 1);
  }
  cairn_mutator.interruptions++;
  become_native();
  pthread_join(thread, NULL);
  assert_int_equal(waitpid(process, &status, 0), process);
  assert_int_equal(status, 0);
}

/* Who waits is let go when the program ends, and nobody waits after that. */
static void program_ends(void **state)
{
  (void)state;
  pthread_t thread = request_and_wait();
  cn_handshake_end_all();
  pthread_join(thread, NULL);
  assert_int_equal(results[0].last, CAIRN_E_ENDED);
  running = 1;
  assert_int_equal(pthread_create(&thread, NULL, request_once, &results[0]), 0);
  pthread_join(thread, NULL);
  assert_int_equal(results[0].last, CAIRN_E_ENDED);
  become_native();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everyone_is_answered),
      cmocka_unit_test(under_stress),
      cmocka_unit_test(who_runs_it),
      cmocka_unit_test(oneself),
      cmocka_unit_test(nobody),
      cmocka_unit_test(in_vain),
      cmocka_unit_test(native_code_is_told),
      cmocka_unit_test(handlers_do_not_answer),
      cmocka_unit_test(the_way_back_waits),
      cmocka_unit_test(child),
      cmocka_unit_test(child_of_other_thread),
      cmocka_unit_test(main_thread_without_mutator),
      cmocka_unit_test(child_of_handler),
      cmocka_unit_test(program_ends),
  };

  begin_as_managed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
