/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions of a language over random mixes of activations: of several functions, some with many callee-saved
 * registers, with arguments on the stack or with frames that the frame pointer ends; native ones with cleanups and
 * without; landing pads of others; and activations that catch in between. The ones that catch check all callee-saved
 * registers (Inputs/throw.ll), the others their values after each return. Some depths exceed the path that a thread
 * keeps of its last throws. What would go wrong: a throw follows the path of an earlier one.
 */
// RUN: clang -O1 -fexceptions -c %S/Inputs/throw_native.c -o %t.o
// RUN: clang++ -O1 -c %S/Inputs/throw_cpp.cpp -o %t.cpp.o
// RUN: %cairn-cc -w -O2 -pthread -I%root/include %s %S/Inputs/throw.ll %t.o %t.cpp.o -lstdc++ -o %t
// RUN: %t 3000 | FileCheck %s && env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t 200 | FileCheck %s
// RUN: %cairn-cc -w -O1 -fno-omit-frame-pointer -pthread -I%root/include %s %S/Inputs/throw.ll %t.o %t.cpp.o -lstdc++ \
// RUN:   -o %t.1
// RUN: %t.1 3000 | FileCheck %s && env CAIRN_STRESS=7 %t.1 400 | FileCheck %s
// RUN: %cairn-cc -w -Os -pthread -fcairn-collector=semispace -fcairn-slots=always -I%root/include %s \
// RUN:   %S/Inputs/throw.ll %t.o %t.cpp.o -lstdc++ -o %t.s
// RUN: %t.s 3000 | FileCheck %s && env CAIRN_STRESS=1 %t.s 200 | FileCheck %s
// CHECK: alone: all caught, all cleaned
// CHECK-NEXT: 4 threads: all caught
// CHECK-NEXT: deep: all caught
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/exceptions.h>
#include <cairn/handle.h>

struct box {
  long value;
};
typedef struct box managed *ref;

/* Inputs/throw.ll */
long catch(long depth, long kind, long seed);
long clean_up(long depth, long kind, ref e);
void throw(ref e);
/* Inputs/throw_native.c, Inputs/throw_cpp.cpp */
cairn_native long native_plain(long (*next)(long, long, void *), long kind, void *handle);
cairn_native long native_clean(long (*next)(long, long, void *), long kind, void *handle);
cairn_native long cpp_pass(long (*next)(long, long, void *), long kind, void *handle);

extern long native_cleaned;

enum { PER_CLEANUP = 10000 }; /* what clean_up() adds to an exception */
static _Thread_local unsigned long random_state;
static _Thread_local long wrong_values, cleanups, cleaned, natives;

static unsigned long draw(void)
{
  random_state = random_state * 6364136223846793005 + 1442695040888963407;
  return random_state >> 33;
}

void failed(int status)
{
  printf("failed: %d %s\n", status, cairn_throw_failure());
  exit(1);
}

long wrong(long seed)
{
  return 1000000 + seed;
}

static void check_caught(long caught, long seed)
{
  wrong_values += caught % PER_CLEANUP != seed + 77;
  cleaned += caught / PER_CLEANUP;
}

static long descend_on(long depth, ref e);

#define FUNCTION __attribute__((noinline)) static long

FUNCTION few(long depth, ref e)
{
  return descend_on(depth, e) + depth;
}

FUNCTION references(long depth, ref e)
{
  ref a = cairn_new(struct box), b = cairn_new(struct box);
  long result;

  a->value = depth;
  b->value = depth ^ 5;
  result = descend_on(depth, e);
  wrong_values += a->value != depth || b->value != (depth ^ 5);
  return result;
}

FUNCTION many(long depth, long b, long c, long d, long f, long g, long h, long i, ref e)
{
  long result = descend_on(depth, e);

  wrong_values += b != depth + 1 || c != depth + 2 || d != depth + 3 || f != depth + 4 || g != depth + 5 ||
                  h != depth + 6 || i != depth + 7;
  return result;
}

FUNCTION dynamic(long depth, ref e)
{
  volatile long room[depth % 5 + 1];
  long result;

  room[depth % 5] = depth;
  result = descend_on(depth, e);
  wrong_values += room[depth % 5] != depth;
  return result;
}

static long from_handle(long n, long depth, void *handle)
{
  ref e = cairn_handle_get(handle);

  cairn_handle_free(handle);
  return descend_on(depth, e);
}

/* An activation that catches, and ends normally. */
FUNCTION catches(long depth, ref e)
{
  long seed = draw() % 1000;

  check_caught(catch(seed % 3, depth / 2, seed), seed);
  return descend_on(depth / 2, e);
}

static long call_other(long depth, ref e)
{
  switch (draw() % 8) {
  case 0:
    return native_plain(from_handle, depth, cairn_handle_new(e));
  case 1:
    natives++;
    return native_clean(from_handle, depth, cairn_handle_new(e));
  case 2:
    return cpp_pass(from_handle, depth, cairn_handle_new(e));
  case 3:
    cleanups++;
    return clean_up(0, depth, e);
  default:
    return catches(depth, e);
  }
}

static long descend_on(long depth, ref e)
{
  unsigned long choice = draw() % 64;

  if (depth-- <= 0) {
    throw(e);
    return 0;
  }
  if (choice == 0)
    return call_other(depth, e);
  if (choice < 5)
    return dynamic(depth, e);
  if (choice < 25)
    return few(depth, e);
  if (choice < 45)
    return references(depth, e);
  return many(depth, depth + 1, depth + 2, depth + 3, depth + 4, depth + 5, depth + 6, depth + 7, e);
}

/* Inputs/throw.ll calls it with the depth as kind. */
long middle(long n, long kind, ref e)
{
  (void)n;
  return descend_on(kind, e);
}

struct thread {
  pthread_t id;
  long number, times;
  bool right;
};

static void *run_thread(void *argument)
{
  struct thread *thread = argument;

  random_state = (unsigned long)thread->number;
  for (long i = 0; i < thread->times; i++) {
    if (i % 3 == 0) /* the same path again */
      random_state = (unsigned long)(thread->number + i / 30);
    check_caught(catch(i % 4, (long)(draw() % 60), i), i);
  }
  thread->right = wrong_values == 0 && cleaned == cleanups;
  return NULL;
}

int main(int argc, char **argv)
{
  struct thread threads[4], alone = {.number = 9, .times = atol(argv[1]) / 4};
  bool all = true;

  run_thread(&alone);
  printf("alone: %s caught, %s cleaned\n", alone.right ? "all" : "not all",
         native_cleaned == 100 * natives ? "all" : "not all");
  for (int i = 0; i < 4; i++) {
    threads[i] = (struct thread){.number = i + 1, .times = alone.times};
    pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i].id, NULL);
    all = all && threads[i].right;
  }
  printf("4 threads: %s caught\n", all ? "all" : "not all");
  for (long i = 0; i < 3; i++) {
    check_caught(catch(3000, 20, i), i);
    check_caught(catch(10, 3000 * i, i), i);
  }
  printf("deep: %s caught\n", wrong_values == 0 && cleaned == cleanups ? "all" : "not all");
  return 0;
}
