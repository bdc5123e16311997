/* SPDX-License-Identifier: Apache-2.0
 *
 * Failures of the runtime as exceptions of a language (cairn_throw_on()): exhausted memory and stack overflow, many
 * times, on several threads, past native cleanups, and after the callback of cairn_on_exhaustion(); and the cases that
 * still end the program, such as a fault. What would go wrong: the exception goes past a catch or a cleanup, a register
 * or the reserve of the stack is lost, or the thread stays in the slow path.
 */
// RUN: clang -O1 -fexceptions -c %S/Inputs/throw_native.c -o %t.o
// RUN: for o in 0 2; do for c in semispace generational; do \
// RUN:   %cairn-cc -w -O$o -pthread -fcairn-poll=stack -fcairn-collector=$c -I%root/include %s %S/Inputs/failures.ll \
// RUN:     %t.o -o %t && env CAIRN_HEAP_MAX=4m %t all | FileCheck %s || exit 1; done; done
// RUN: sh -c 'ulimit -s 512; env CAIRN_HEAP_MAX=4m CAIRN_STRESS=1000 %t all' | FileCheck %s
// RUN: (for k in lost nothing fault gone overflow; do env CAIRN_HEAP_MAX=4m %t $k 2>&1 || echo "$k: $?"; done) \
// RUN:   | FileCheck --check-prefix=ENDS %s
// CHECK: memory: 40 of 40
// CHECK-NEXT: large: 40 of 40
// CHECK-NEXT: stack: 40 of 40
// CHECK-NEXT: cleanup: 40 of 40, 4000 cleaned
// CHECK-NEXT: callback first: 1, 1 call
// CHECK-NEXT: 4 threads: 4
// CHECK-NEXT: kept by assembly: 7
// CHECK-NEXT: own allocations: 7 7 0
// ENDS: no exception is thrown: the call at pc {{.*}}catch_lost{{.*}} lies in a span of the key and has no landing pad
// ENDS-NEXT: cairn: out of memory
// ENDS: lost: 1
// ENDS-NEXT: no exception is thrown: no activation has a landing pad in a span of key 5
// ENDS-NEXT: cairn: out of memory
// ENDS: nothing: 1
// ENDS-NEXT: fault: 1, the caller is a signal handler, a collector, or the operation of a handshake
// ENDS-NEXT: fault: 3
// ENDS-NEXT: cairn: out of memory
// ENDS: gone: 1
// ENDS-NEXT: no exception is thrown: no activation has a landing pad in a span of key 5
// ENDS-NEXT: cairn: stack overflow at pc
// ENDS: overflow: 1
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/exceptions.h>
#include <cairn/handle.h>
#include <cairn/heap.h>

struct box {
  long value;
};
typedef struct box managed *ref;

/* Inputs/failures.ll, Inputs/throw_native.c */
long catch(long kind, long seed);
long catch_throwing(void);
long catch_own(long words);
long catch_lost(void);
long keep_all(void);
cairn_native long native_clean(long (*next)(long, long, void *), long kind, void *handle);
extern long native_cleaned;

enum kind { MEMORY, LARGE, STACK, CLEANUP, LOST, FAULT };

long wrong(long seed)
{
  return 1000000 + seed;
}

__attribute__((noinline)) static long overflow(long n)
{
  volatile long own = n;
  long deeper = overflow(n + 1);

  return deeper + own;
}

static long exhaust(long n, long kind, void *handle)
{
  (void)n;
  (void)kind;
  (void)handle;
  return keep_all();
}

__attribute__((noinline)) static long read_value(volatile struct box managed *box)
{
  return box->value;
}

long fail(long kind, long seed)
{
  switch (kind) {
  case MEMORY:
    return keep_all();
  case LARGE: {
    long managed *array = cairn_new_array(long, 10000000 + seed);
    return array[seed];
  }
  case STACK:
    return overflow(seed);
  case CLEANUP:
    return native_clean(exhaust, seed, NULL);
  case FAULT:
    return read_value(NULL);
  default:
    return catch_lost();
  }
}

static void repeat(const char *name, enum kind kind, long value)
{
  long right = 0;

  for (long i = 0; i < 40; i++)
    right += catch(kind, i) == value;
  printf("%s: %ld of 40", name, right);
}

static int calls;

static bool decline(void *env, const struct cairn_exhaustion *what)
{
  (void)env;
  calls += what->tries == 0;
  return false;
}

static void *run_thread(void *argument)
{
  long right = 0;

  (void)argument;
  for (int i = 0; i < 5; i++)
    right += catch(i % 2 ? STACK : MEMORY, i) == (i % 2 ? 8 : 7);
  return (void *)(right == 5);
}

static void run_threads(void)
{
  pthread_t threads[4];
  void *right;
  long all = 0;

  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, run_thread, NULL);
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &right);
    all += right != NULL;
  }
  printf("4 threads: %ld\n", all);
}

static struct cairn_handle *make(long value)
{
  ref box = cairn_new(struct box);

  box->value = value;
  return cairn_handle_new(box);
}

static void run_all(void)
{
  repeat("memory", MEMORY, 7);
  printf("\n");
  repeat("large", LARGE, 7);
  printf("\n");
  repeat("stack", STACK, 8);
  printf("\n");
  repeat("cleanup", CLEANUP, 7);
  printf(", %ld cleaned\n", native_cleaned);
  cairn_on_exhaustion(decline, NULL);
  long caught = catch(MEMORY, 1);
  printf("callback first: %d, %d call\n", caught == 7, calls);
  cairn_on_exhaustion(NULL, NULL);
  run_threads();
  printf("kept by assembly: %ld\n", catch_throwing());
  printf("own allocations: %ld %ld %ld\n", catch_own(0), catch_own(10000000), catch_own(100));
}

static struct cairn_handle *fault_exception;

/* A fault is no safepoint: the references of its activation are unknown. */
cairn_unmanaged static void on_fault(int signal)
{
  int status = cairn_throw_handle(5, fault_exception);

  (void)signal;
  printf("fault: %d, %s\n", status == CAIRN_E_BUSY, cairn_throw_failure());
  fflush(stdout);
  _exit(3);
}

int main(int argc, char **argv)
{
  const char *kind = argv[1];

  cairn_throw_on(CAIRN_FAILURE_MEMORY, 5, make(7));
  cairn_throw_on(CAIRN_FAILURE_STACK, 5, make(8));
  if (strcmp(kind, "all") == 0)
    run_all();
  else if (strcmp(kind, "lost") == 0)
    catch(LOST, 1);
  else if (strcmp(kind, "nothing") == 0)
    keep_all();
  else if (strcmp(kind, "overflow") == 0)
    overflow(1);
  else if (strcmp(kind, "fault") == 0) {
    fault_exception = make(9);
    signal(SIGSEGV, on_fault);
    catch(FAULT, 1);
  } else if (strcmp(kind, "gone") == 0) {
    cairn_throw_on(CAIRN_FAILURE_MEMORY, 5, NULL);
    catch(MEMORY, 1);
  }
  return 0;
}
