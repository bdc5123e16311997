/* SPDX-License-Identifier: Apache-2.0
 *
 * Many threads want the same at once: a collection, a block, a lock, a handshake, a begin or an end. What would go
 * wrong: each of them is woken again and again while another has its turn, so that the work grows with the square of
 * their number. System calls are counted, not time: the test has syscall() and sched_yield() for the runtime.
 */
// RUN: %cairn-cc -O2 %s -o %t && %t
// RUN: %cairn-cc -O2 -fcairn-collector=semispace %s -o %t.semispace && %t.semispace
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>
#include <cairn/thread.h>

enum { THREADS = 200, CALLS_OF_ONE = 100, TIMED = 3 };

struct node {
  struct node managed *next;
  long value;
};

/* ---- the runtime's system calls ---- */

static atomic_long calls, timed, most_timed;

cairn_unmanaged static long raw(long number, const long *a)
{
#ifdef __aarch64__
  register long x8 __asm__("x8") = number, result __asm__("x0") = a[0];
  register long x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2];
  register long x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];

  __asm__ volatile("svc #0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#else
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  long result;

  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#endif
  return result;
}

/* A wait with a time limit: how many wait so at once? */
cairn_unmanaged static long wait_timed(const long *a)
{
  long now = ++timed, most = most_timed;

  while (now > most && !atomic_compare_exchange_weak(&most_timed, &most, now))
    ;
  long result = raw(SYS_futex, a);
  timed--;
  return result;
}

cairn_unmanaged long syscall(long number, ...)
{
  va_list list;
  long a[6];

  va_start(list, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(list, long);
  va_end(list);
  int operation = number == SYS_futex ? (int)a[1] & FUTEX_CMD_MASK : -1;
  calls += operation >= 0;
  long result = operation == FUTEX_WAIT_BITSET && a[3] != 0 ? wait_timed(a) : raw(number, a);
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

cairn_unmanaged int sched_yield(void)
{
  long none[6] = {0};

  calls++;
  return (int)raw(SYS_sched_yield, none);
}

/* ---- what they want ---- */

static pthread_barrier_t together;

static void meet(void)
{
  pthread_barrier_wait(&together);
}

static void *collect(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  meet();
  cairn_collect();
  node->value = 1;
  return argument;
}

/* A block of each is one that no buffer has. */
static void *allocate(void *argument)
{
  struct node managed *list = cairn_new(struct node);

  meet();
  for (int i = 0; i < 2000; i++) {
    struct node managed *node = cairn_new(struct node);
    node->next = list;
    list = node;
  }
  return argument;
}

static void *lock(void *argument)
{
  struct node managed *node = cairn_new(struct node);

  meet();
  for (int i = 0; i < 20; i++)
    cairn_handle_free(cairn_handle_new(node));
  return argument;
}

static _Atomic long shaken;

cairn_unmanaged static void operate(int thread, void *env)
{
  (void)thread;
  (void)env;
  shaken++;
}

cairn_unmanaged static void *shake(void *argument)
{
  pthread_barrier_wait(&together);
  if (cairn_handshake(0, operate, NULL, CAIRN_ASK_FOREVER) != CAIRN_OK)
    abort();
  return argument;
}

static void *begin_and_end(void *argument)
{
  meet();
  struct node managed *node = cairn_new(struct node);
  node->value = 1;
  return argument;
}

/* ---- */

cairn_unmanaged static void at_once(const char *what, void *(*wanted)(void *))
{
  static pthread_t threads[THREADS];

  pthread_barrier_init(&together, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, wanted, NULL) != 0)
      abort();
  calls = most_timed = 0;
  pthread_barrier_wait(&together);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&together);
  if (calls > THREADS * CALLS_OF_ONE || most_timed > TIMED) {
    printf("%s: %ld system calls of %d threads, %ld of them in a wait with a time limit at once\n", what, calls,
           THREADS, most_timed);
    exit(1);
  }
}

int main(void)
{
  at_once("collections", collect);
  at_once("blocks", allocate);
  at_once("a lock", lock);
  at_once("handshakes", shake);
  at_once("begins and ends", begin_and_end);
  return shaken == THREADS ? 0 : 1;
}
