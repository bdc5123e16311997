/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread that does a collector's job beside the program. What would go wrong: a step runs in a
 * stop; it does not see what the stop wrote, or the stop not what it wrote; a job is forgotten, or
 * goes on after its end; a process whose threads have ended does not; a fork()'s child waits for a
 * thread that it does not have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/collector.h>
#include "unit/runtime/aborts.h"
#include "unit/threads/few_threads.h"
#include "runtime/os/os.h"
#include "runtime/threads/workers.h"

/* ---- a job ---- */

static struct {
  long done, wanted; /* steps: plain, since no step runs in a stop */
  long values[8];    /* all the same, but within a step */
  bool broken;
  int thread;
  _Atomic bool over;
} job;

static bool is_whole(void)
{
  for (int i = 1; i < 8; i++)
    if (job.values[i] != job.values[0])
      return false;
  return true;
}

static bool take_step(void *env)
{
  if (env != &job || !is_whole())
    job.broken = true;
  for (int i = 0; i < 8; i++)
    job.values[i]++;
  job.thread = cn_os_thread();
  bool more = ++job.done < job.wanted;
  if (!more)
    atomic_store(&job.over, true);
  return more;
}

static void stop(void)
{
  cn_background_prepare_thread();
  cn_background_hold_steps();
  cn_background_await_step(0);
}

static void begin(long steps)
{
  stop();
  job.done = 0;
  job.wanted = steps;
  atomic_store(&job.over, false);
  cairn_background_run(take_step, &job);
  cn_background_release_steps();
  cn_background_prepare_thread();
}

static void until_over(void)
{
  while (!atomic_load(&job.over))
    ;
}

/* ---- tests ---- */

static void all_steps(void **state)
{
  (void)state;
  for (int i = 1; i < 300; i++) {
    begin(i);
    until_over();
    stop();
    assert_int_equal(job.done, i);
    assert_int_not_equal(job.thread, cn_os_thread());
    assert_true(is_whole() && !job.broken);
    cn_background_release_steps();
  }
}

/* A job without end is stopped again and again, changed in stops, replaced and ended. */
static void never_in_a_stop(void **state)
{
  long before = -1;

  (void)state;
  begin(1L << 60);
  for (int i = 0; i < 3000; i++) {
    stop();
    assert_true(is_whole() && !job.broken);
    for (int k = 0; k < 8; k++)
      job.values[k] = 5L * i;
    before = job.done;
    if (i % 7 == 0)
      cairn_background_run(take_step, &job);
    assert_int_equal(job.done, before);
    cn_background_release_steps();
  }
  stop();
  cairn_background_run(NULL, NULL);
  before = job.done;
  cn_background_release_steps();
  for (int i = 0; i < 100; i++) {
    stop();
    assert_int_equal(job.done, before);
    cn_background_release_steps();
  }
}

/* Those of two threads' stops, as a fork() within another's has them. */
static void held_twice(void **state)
{
  (void)state;
  begin(1L << 60);
  stop();
  long before = job.done;
  cn_background_hold_steps();
  cn_background_release_steps();
  for (int i = 0; i < 1000; i++)
    assert_int_equal(*(volatile long *)&job.done, before);
  job.wanted = before + 1;
  cn_background_release_steps();
  until_over();
}

static void name_and_signals(void **state)
{
  char name[16];

  (void)state;
  begin(1);
  until_over();
  stop();
  cn_os_thread_read_name(job.thread, name, sizeof name);
  assert_string_equal(name, "cairn-service");
  uint64_t blocks = cn_os_thread_blocked_signals(job.thread);
  for (int signal = 1; signal < 32; signal++)
    assert_true(signal == 9 || signal == 19 || (blocks >> (signal - 1) & 1) != 0);
  cn_background_release_steps();
}

/* ---- real-time priorities ---- */

/* The priority that the kernel's scheduler uses for the calling thread: below -1 in a real-time class. */
static int present_priority(void)
{
  char text[1024];
  FILE *file = fopen("/proc/thread-self/stat", "r");
  int priority = 0;

  if (file == NULL)
    abort();
  if (fgets(text, sizeof text, file) != NULL && strrchr(text, ')') != NULL)
    sscanf(strrchr(text, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %d", &priority);
  fclose(file);
  return priority;
}

/* False: the calling thread may not have the policy. */
static bool set_policy(int policy, int priority)
{
  return sched_setscheduler(0, policy, &(struct sched_param){.sched_priority = priority}) == 0;
}

static bool be_urgent_later(void *env)
{
  job.thread = cn_os_thread();
  atomic_store(&job.over, true);
  while (present_priority() >= -1)
    ;
  (void)env;
  return false;
}

/* A step of low priority that a stop of high priority waits for inherits the priority; otherwise it would not end. The
 * service thread itself has no priority, although the thread that started it has one. */
static void inherits_priority(void **state)
{
  (void)state;
  cn_background_end_thread();
  if (!set_policy(SCHED_FIFO, 1))
    skip();
  begin(1);
  stop();
  atomic_store(&job.over, false);
  cairn_background_run(be_urgent_later, NULL);
  cn_background_release_steps();
  while (!atomic_load(&job.over))
    usleep(100);
  cn_background_hold_steps();
  assert_int_equal(cn_background_await_step(0), job.thread);
  assert_int_equal(sched_getscheduler(job.thread), SCHED_OTHER);
  cn_background_release_steps();
  assert_true(set_policy(SCHED_OTHER, 0));
}

/* The job goes on when there is a thread again. */
static void ends_and_starts(void **state)
{
  (void)state;
  for (int i = 0; i < 50; i++) {
    begin(1L << 60);
    cn_background_end_thread();
    long before = job.done;
    assert_true(is_whole() && !job.broken);
    job.wanted = before + 100;
    cn_background_prepare_thread();
    until_over();
    cn_background_end_thread();
    assert_int_equal(job.done, before + 100);
  }
}

static void forked(void **state)
{
  int status;

  (void)state;
  begin(1L << 60);
  stop();
  long before = job.done;
  pid_t child = fork();
  if (child == 0) {
    cn_background_reset_after_fork();
    cn_background_prepare_thread();
    usleep(1000);
    bool idle = job.done == before;
    begin(20);
    until_over();
    _exit(idle && job.done == 20 && is_whole() ? 7 : 1);
  }
  cn_background_release_steps();
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 7 << 8);
  cn_background_end_thread();
}

static void no_thread(void **state)
{
  (void)state;
  cn_background_end_thread();
  threads_left = 0;
  begin(3);
  assert_int_equal(job.done, 0);
  threads_left = 1000;
  cn_background_prepare_thread();
  until_over();
}

static void after_exit(void **state)
{
  int status;

  (void)state;
  cn_background_end_thread();
  pid_t child = fork();
  if (child == 0) {
    cn_background_reset_after_fork();
    begin(1L << 60);
    cn_background_end_at_exit();
    long before = job.done;
    begin(5);
    usleep(1000);
    _exit(before >= 0 && job.done == 0 ? 7 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 7 << 8);
}

/* ---- what no stop waits for ---- */

static _Atomic int asides;
static _Atomic bool goes_on;

static void be_aside(void)
{
  while (!atomic_load(&goes_on))
    usleep(10);
  atomic_fetch_add(&asides, 1);
}

static void ask_aside(cairn_aside *call)
{
  stop();
  cairn_background_aside(call);
  cn_background_release_steps();
  cn_background_prepare_thread();
}

static void until_asides(int count)
{
  while (atomic_load(&asides) != count)
    ;
}

/* Stops come and go while it is under way; steps wait for its end. */
static void beside_stops(void **state)
{
  (void)state;
  for (int i = 0; i < 20; i++) {
    atomic_store(&asides, 0);
    atomic_store(&goes_on, false);
    begin(1L << 60);
    ask_aside(be_aside);
    for (int k = 0; k < 10; k++) {
      stop();
      assert_true(is_whole() && !job.broken);
      cn_background_release_steps();
    }
    assert_int_equal(atomic_load(&asides), 0);
    atomic_store(&goes_on, true);
    until_asides(1);
    stop();
    job.wanted = job.done + 5;
    cn_background_release_steps();
    until_over();
  }
}

/* Taken back in a stop, it is over: before it began or at its end. */
static void taken_back(void **state)
{
  int called;

  (void)state;
  atomic_store(&goes_on, true);
  for (int i = 0; i < 2000; i++) {
    ask_aside(be_aside);
    ask_aside(NULL);
    called = atomic_load(&asides);
    ask_aside(NULL);
    assert_int_equal(atomic_load(&asides), called);
  }
  stop();
  cairn_background_aside(be_aside);
  called = atomic_load(&asides);
  cn_background_release_steps();
  until_asides(called + 1);
}

static void run_outside(void)
{
  cairn_background_run(take_step, &job);
}

static void aside_outside(void)
{
  cairn_background_aside(be_aside);
}

static void misuse(void **state)
{
  (void)state;
  aborts(run_outside, "cairn_background_run() is called outside of a stop");
  aborts(aside_outside, "cairn_background_aside() is called outside of a stop");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_steps),        cmocka_unit_test(never_in_a_stop), cmocka_unit_test(held_twice),
      cmocka_unit_test(name_and_signals), cmocka_unit_test(ends_and_starts), cmocka_unit_test(no_thread),
      cmocka_unit_test(forked),           cmocka_unit_test(after_exit),      cmocka_unit_test(beside_stops),
      cmocka_unit_test(taken_back),       cmocka_unit_test(misuse),          cmocka_unit_test(inherits_priority),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
