/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's workers. What would go wrong: a part of a job is forgotten or done twice; the
 * collection goes on before the last part is done; a process whose threads have ended does not; a
 * fork()'s child waits for threads that it does not have; the system has no more threads, and the
 * collection fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "unit/runtime/aborts.h"
#include "unit/threads/few_threads.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/threads/workers.h"

enum { MOST = 4, ALL = 1000 };

/* ---- jobs ---- */

struct seen {
  _Atomic int parts[MOST + 1];
  _Atomic int done;
  int thread[MOST + 1];
  uint64_t blocks[MOST + 1];
  char name[MOST + 1][16];
};

static void see(void *env, unsigned worker, unsigned count)
{
  struct seen *seen = env;

  if (worker >= count || count > MOST)
    abort();
  seen->thread[worker] = cn_os_thread();
  seen->blocks[worker] = cn_os_thread_blocked_signals(cn_os_thread());
  cn_os_thread_read_name(cn_os_thread(), seen->name[worker], sizeof seen->name[worker]);
  atomic_fetch_add(&seen->parts[worker], 1);
  atomic_fetch_add(&seen->done, 1);
}

static void check_parts(unsigned most, int count)
{
  struct seen seen = {0};

  assert_int_equal(cairn_workers_run(most, see, &seen), count);
  assert_int_equal(seen.done, count);
  assert_int_equal(seen.thread[0], cn_os_thread());
  for (int i = 0; i < count; i++) {
    assert_int_equal(seen.parts[i], 1);
    for (int k = 0; k < i; k++)
      assert_int_not_equal(seen.thread[i], seen.thread[k]);
  }
}

static int others; /* threads of a sanitizer's, which come with the program's first one */

static int tasks(void)
{
  DIR *directory = opendir("/proc/self/task");
  int count = 0;

  assert_non_null(directory);
  while (readdir(directory) != NULL)
    count++;
  closedir(directory);
  return count - 2 - others;
}

/* Is the calling thread the only one? The kernel lists a thread for a moment after it was joined.
 */
static bool is_alone(void)
{
  for (int i = 0; i < 10000 && tasks() != 1; i++)
    usleep(1000);
  return tasks() == 1;
}

static void parts(void **state)
{
  (void)state;
  assert_int_equal(cairn_workers_most(), MOST);
  cn_workers_prepare_threads(true);
  assert_int_equal(tasks(), MOST);
  for (int i = 0; i < 2000; i++)
    check_parts(i % 5 == 0 ? ALL : 1 + (unsigned)i % MOST, i % 5 == 0 ? MOST : 1 + i % MOST);
}

static void names_and_signals(void **state)
{
  struct seen seen = {0};

  (void)state;
  cn_workers_prepare_threads(true);
  assert_int_equal(cairn_workers_run(ALL, see, &seen), MOST);
  assert_string_equal(seen.name[1], "cairn-worker-1");
  assert_string_equal(seen.name[3], "cairn-worker-3");
  for (int i = 1; i < MOST; i++)
    for (int signal = 1; signal < 32; signal++)
      assert_true(signal == 9 || signal == 19 || (seen.blocks[i] >> (signal - 1) & 1) != 0);
}

/* Each part waits for all others: no thread has two. */
static void meet(void *env, unsigned worker, unsigned count)
{
  pthread_barrier_t *barrier = env;

  (void)worker;
  (void)count;
  pthread_barrier_wait(barrier);
}

static void at_once(void **state)
{
  pthread_barrier_t barrier;

  (void)state;
  cn_workers_prepare_threads(true);
  pthread_barrier_init(&barrier, NULL, MOST);
  for (int i = 0; i < 200; i++)
    assert_int_equal(cairn_workers_run(ALL, meet, &barrier), MOST);
  pthread_barrier_destroy(&barrier);
}

/* ---- ends ---- */

static void ends_and_starts(void **state)
{
  (void)state;
  for (int i = 0; i < 50; i++) {
    cn_workers_prepare_threads(true);
    check_parts(ALL, MOST);
    cn_workers_end_all();
    assert_true(is_alone());
    check_parts(ALL, 1);
  }
  cn_workers_prepare_threads(true);
}

static _Atomic bool ending;

static void *end_them(void *unused)
{
  atomic_store(&ending, true);
  cn_workers_end_all();
  return unused;
}

/* The thread that ends them waits for a job that runs. */
static void let_end(void *env, unsigned worker, unsigned count)
{
  pthread_t *thread = env;

  (void)count;
  if (worker == 1) {
    assert_int_equal(pthread_create(thread, NULL, end_them, NULL), 0);
    while (!atomic_load(&ending))
      ;
  }
}

static void ended_meanwhile(void **state)
{
  pthread_t thread;

  (void)state;
  cn_workers_prepare_threads(true);
  assert_int_equal(cairn_workers_run(ALL, let_end, &thread), MOST);
  pthread_join(thread, NULL);
  assert_true(is_alone());
  check_parts(ALL, 1);
  cn_workers_prepare_threads(true);
  check_parts(ALL, MOST);
}

static _Atomic bool enough;

static void *end_again(void *unused)
{
  while (!atomic_load(&enough)) {
    cn_workers_end_all();
    cn_workers_prepare_threads(true);
  }
  return unused;
}

/* However many there are when a job begins, they have a part each, and finish it. */
static void ended_often(void **state)
{
  pthread_t thread;

  (void)state;
  cn_workers_prepare_threads(true);
  assert_int_equal(pthread_create(&thread, NULL, end_again, NULL), 0);
  for (int i = 0; i < 300; i++) {
    struct seen seen = {0};
    unsigned count = cairn_workers_run(ALL, see, &seen);
    assert_int_equal(seen.done, count);
  }
  atomic_store(&enough, true);
  pthread_join(thread, NULL);
}

static int status_of(pid_t child)
{
  int status;

  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void forked(void **state)
{
  struct seen seen = {0};

  (void)state;
  cn_workers_prepare_threads(true);
  pid_t child = fork();
  if (child == 0) {
    bool alone = is_alone() && cairn_workers_run(ALL, see, &seen) == 1;
    cn_workers_prepare_threads(true);
    _exit(alone && cairn_workers_run(ALL, see, &seen) == MOST && seen.done == 1 + MOST ? 7 : 1);
  }
  assert_int_equal(status_of(child), 7 << 8);
  check_parts(ALL, MOST);
}

static void after_exit(void **state)
{
  struct seen seen = {0};

  (void)state;
  pid_t child = fork();
  if (child == 0) {
    cn_workers_prepare_threads(true);
    unsigned before = cairn_workers_run(ALL, see, &seen);
    cn_workers_end_at_exit();
    cn_workers_prepare_threads(true);
    _exit(before == MOST && is_alone() && cairn_workers_run(ALL, see, &seen) == 1 ? 7 : 1);
  }
  assert_int_equal(status_of(child), 7 << 8);
}

/* A part calls exit(): nobody waits for the others, which never end. */
static void leave(void *env, unsigned worker, unsigned count)
{
  (void)env;
  (void)count;
  if (worker == 1)
    exit(7);
  pause();
}

static void exit_within(void **state)
{
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    cn_workers_prepare_threads(true);
    cairn_workers_run(ALL, leave, NULL);
    _exit(1);
  }
  assert_int_equal(status_of(child), 7 << 8);
}

static void no_threads(void **state)
{
  (void)state;
  for (int left = 0; left < MOST; left++) {
    cn_workers_end_all();
    threads_left = left;
    cn_workers_prepare_threads(true);
    assert_int_equal(cn_workers_count(), left + 1);
    check_parts(ALL, left + 1);
    threads_left = 1000;
    cn_workers_prepare_threads(true); /* it stays so */
    check_parts(ALL, left + 1);
  }
  cn_workers_end_all();
  cn_workers_prepare_threads(true);
}

/* ---- misuse ---- */

static void again(void *env, unsigned worker, unsigned count)
{
  if (worker == 0)
    cairn_workers_run(count, again, env);
}

static void run_again(void)
{
  cn_workers_prepare_threads(true);
  cairn_workers_run(1, again, NULL);
}

/* Workers that are less urgent than the collecting thread get no part. */
static void less_urgent_workers(void **state)
{
  static const struct sched_param high = {.sched_priority = 1}, none;

  (void)state;
  cn_workers_end_all();
  cn_workers_prepare_threads(true);
  check_parts(ALL, MOST);
  if (sched_setscheduler(0, SCHED_FIFO, &high) != 0)
    skip();
  check_parts(ALL, 1);
  cn_workers_end_all();
  cn_workers_prepare_threads(true);
  check_parts(ALL, MOST);
  assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
  check_parts(ALL, MOST);
  cn_workers_end_all();
}

static void run_without_trait(void)
{
  cn_workers_prepare_threads(false);
  cairn_workers_run(ALL, meet, NULL);
}

static void attach(void *env, unsigned worker, unsigned count)
{
  (void)env;
  if (worker == count - 1)
    cairn_thread_attach();
}

static void attach_worker(void)
{
  cn_workers_prepare_threads(true);
  cairn_workers_run(ALL, attach, NULL);
}

static void misuse(void **state)
{
  (void)state;
  aborts(run_again, "cairn_workers_run() is called within a job");
  aborts(run_without_trait, "without CAIRN_COLLECTOR_PARALLEL");
  aborts(attach_worker, "works for a collection");
}

static void *nothing(void *unused)
{
  return unused;
}

static void count_others(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, nothing, NULL) == 0)
    pthread_join(thread, NULL);
  usleep(100000);
  others = tasks() - 1;
}

/* With an argument: the tests of that name. */
int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts),           cmocka_unit_test(names_and_signals),
      cmocka_unit_test(at_once),         cmocka_unit_test(ends_and_starts),
      cmocka_unit_test(ended_meanwhile), cmocka_unit_test(ended_often),
      cmocka_unit_test(forked),          cmocka_unit_test(after_exit),
      cmocka_unit_test(exit_within),     cmocka_unit_test(no_threads),
      cmocka_unit_test(misuse),          cmocka_unit_test(less_urgent_workers),
  };

  cn_options.workers = MOST;
  count_others();
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
