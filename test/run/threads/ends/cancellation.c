/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that has been cancelled goes on through the runtime up to its own next cancellation point, whatever the
 * runtime writes meanwhile; and threads end from callbacks, handlers and cleanups. What would go wrong: a write() of
 * the runtime ends the thread within a stop; a detach takes calls that an unwinding left for calls that are under way.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t
// RUN: rm -f %t.trace && env CAIRN_TRACE=%t.trace %t
// RUN: env CAIRN_LOG=gc,stops CAIRN_HISTOGRAM=1 CAIRN_STATS=1 %t 2>&1 | FileCheck %s
// RUN: env CAIRN_STRESS=1000 CAIRN_VERIFY=heap,frames %t
// CHECK: cairn: gc: collection
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/events.h>
#include <cairn/heap.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
  long value;
};

static volatile int passed;
static pthread_key_t key;

/* What holds cancellation off gives it back. */
cairn_unmanaged static void check_enabled(void)
{
  int before;

  if (pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before) != 0 || before != PTHREAD_CANCEL_ENABLE)
    abort();
}

cairn_unmanaged static void fork_once(void)
{
  int status;
  pid_t pid = fork();

  check_enabled();
  if (pid == 0)
    _exit(0);
  if (waitpid(pid, &status, 0) != pid || status != 0)
    abort();
}

cairn_unmanaged static void operate(int thread, void *env)
{
  (void)thread;
  (void)env;
}

/* ---- deferred cancellation ---- */

/* A listener may call what is a cancellation point. */
cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  (void)event;
  if (write(*(int *)env, "", 0) < 0)
    abort();
}

static void *go_on(void *argument)
{
  struct node managed *list = cairn_new(struct node);

  pthread_cancel(pthread_self());
  for (int i = 0; i < 3; i++) {
    cairn_collect();
    list->next = cairn_new(struct node);
  }
  for (int i = 0; i < 100000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = i % 1000 ? list : NULL;
    list = node;
  }
  passed++;
  pthread_testcancel();
  passed = -1;
  return argument;
}

/* ---- ends ---- */

cairn_unmanaged static void leave(void)
{
  pthread_exit((void *)7);
}

cairn_unmanaged static void detach(void *unused)
{
  (void)unused;
  cairn_thread_detach();
}

__attribute__((noinline)) static void call(void (*native)(void))
{
  struct node managed *node = cairn_new(struct node);

  native();
  node->value = 1;
}

cairn_unmanaged static void *from_a_callback(void *argument)
{
  call(leave);
  return argument;
}

cairn_unmanaged static void *with_a_destructor(void *argument)
{
  check_enabled();
  fork_once();
  if (cairn_handshake_all(operate, NULL, CAIRN_ASK_FOREVER) != CAIRN_OK)
    abort();
  check_enabled();
  pthread_setspecific(key, &key);
  call(leave);
  return argument;
}

cairn_unmanaged static void *with_a_cleanup(void *argument)
{
  pthread_cleanup_push(detach, NULL);
  call(leave);
  pthread_cleanup_pop(0);
  return argument;
}

static void handle(int signal)
{
  struct node managed *node = cairn_new(struct node);

  node->value = signal;
  leave();
}

static void *from_a_handler(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  cairn_collect();
  check_enabled();
  pthread_kill(pthread_self(), SIGUSR1);
  while (passed != -1)
    node->value++;
  return argument;
}

static void *from_managed_code(void *argument)
{
  call(leave);
  return argument;
}

/* ---- */

cairn_unmanaged static void run(void *(*start)(void *), void *expected)
{
  pthread_t thread;
  void *result = NULL;

  if (pthread_create(&thread, NULL, start, NULL) != 0 || pthread_join(thread, &result) != 0 || result != expected)
    abort();
}

int main(void)
{
  int null = 2;

  signal(SIGUSR1, handle);
  pthread_key_create(&key, detach);
  run(go_on, PTHREAD_CANCELED);
  cairn_listen(listen, &null);
  run(go_on, PTHREAD_CANCELED);
  if (passed != 2)
    abort();
  void *(*const ends[])(void *) = {from_a_callback, with_a_destructor, with_a_cleanup, from_a_handler,
                                   from_managed_code};
  for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
    run(ends[i], (void *)7);
    cairn_collect();
  }
  return 0;
}
