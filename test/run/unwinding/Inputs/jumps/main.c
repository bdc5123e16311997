/* SPDX-License-Identifier: Apache-2.0
 *
 * Jumps of native code over managed frames. Where each arrives the thread has the anchors and the
 * state that it had there before, and its managed callers have their references.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <cairn/abi.h>
#include <cairn/cairn.h>
#include "coroutines.h"
#include "leave.h"

extern _Thread_local char cairn_mutator[];

struct cell {
  struct cell managed *next;
  long value;
};

static place outer, inner;
static int way;
static long jumps, wrong;
static struct cell managed *kept;

/* ---- what native code sees of the thread ---- */

struct sight {
  uintptr_t anchor;
  unsigned char state;
};

cairn_unmanaged static struct sight look(void)
{
  return (struct sight){*(uintptr_t *)(cairn_mutator + CAIRN_ABI_MUTATOR_ANCHOR),
                        *(unsigned char *)(cairn_mutator + CAIRN_ABI_MUTATOR_STATE)};
}

cairn_unmanaged static void arrive(const char *where, struct sight before)
{
  struct sight now = look();

  jumps++;
#ifdef BUILTIN /* anchors go later, and the state in a handler with it */
  return;
#endif
  if (now.anchor == before.anchor && now.state == before.state)
    return;
  wrong++;
  printf("%s: %ld anchors too many, state %d, not %d\n", where,
         (long)(now.anchor - before.anchor) / CAIRN_ABI_ANCHOR_SIZE, now.state, before.state);
}

/* ---- managed frames to jump over, and to come back to ---- */

static void churn(long value)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = value;
  kept = cell;
  cairn_collect();
}

static void over(void (*native)(long), long depth)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = depth;
  if (depth > 0)
    over(native, depth - 1);
  else
    native(depth);
  kept = cell;
}

static long around(long (*native)(long), long value)
{
  struct cell managed *a = cairn_new(struct cell), *b = cairn_new(struct cell);

  a->value = value;
  b->value = 2 * value;
  long got = native(value);
  churn(got);
  return a->value + b->value + got;
}

static void expect(const char *where, long got, long wanted)
{
  if (got == wanted)
    return;
  printf("%s: %ld, not %ld\n", where, got, wanted);
  wrong++;
}

/* ---- over frames, one way or another; to two places in turn; and over none ---- */

cairn_unmanaged static void leaves(long i)
{
  leave(outer, way++);
}

cairn_unmanaged static __attribute__((noinline)) long one(long i)
{
  struct sight before = look();

  if (arrives(outer, 1) == 0)
    over(leaves, i);
  arrive("one", before);
  churn(i);
  return i;
}

cairn_unmanaged static void leaves_inner(long i)
{
  leave(inner, way++);
}

cairn_unmanaged static __attribute__((noinline)) void nests(long i)
{
  struct sight before = look();

  if (arrives(inner, 0) == 0)
    over(leaves_inner, 3);
  arrive("inner", before);
  churn(i);
  over(leaves, 2);
}

cairn_unmanaged static __attribute__((noinline)) long nested(long i)
{
  struct sight before = look();

  if (arrives(outer, 0) == 0)
    over(nests, i);
  arrive("outer", before);
  return i;
}

cairn_unmanaged static __attribute__((noinline)) long none(long i)
{
  struct sight before = look();
  volatile long times = 0;

  arrives(outer, 0);
  arrive("none", before);
  if (++times < i)
    leave(outer, way++);
  return i;
}

/* ---- out of handlers, and within them ---- */

cairn_unmanaged static void jumps_out(int number)
{
  over(leaves, 2);
}

cairn_unmanaged static __attribute__((noinline)) void jumps_within(int number)
{
  struct sight before = look();

  if (arrives(inner, 0) == 0)
    over(leaves_inner, 2);
  arrive("within a handler", before);
}

static void interrupted(long depth)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = depth;
  __builtin_debugtrap();
  kept = cell;
  if (depth > 0)
    interrupted(depth - 1);
}

cairn_unmanaged static void raises(long i)
{
  raise(SIGUSR1);
}

static void (*handler)(int number);

/* AArch64 executes the instruction of a trap again after the handler. */
cairn_unmanaged static void handle(int number, siginfo_t *info, void *context)
{
#ifdef __aarch64__
  if (number == SIGTRAP)
    ((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
  handler(number);
}

cairn_unmanaged static void on_signal(void (*called)(int), int flags)
{
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = flags | SA_SIGINFO | SA_NODEFER};

  handler = called;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGTRAP, &action, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
    exit(1);
}

/* Managed code was interrupted, and native code that it called. */
cairn_unmanaged static __attribute__((noinline)) void signals(const char *where, long i)
{
  struct sight before = look();

  if (arrives(outer, 1) == 0)
    interrupted(i);
  arrive(where, before);
  churn(i);
  if (arrives(outer, 1) == 0)
    over(raises, i);
  arrive(where, before);
  churn(i);
}

cairn_unmanaged static long handlers(long i)
{
  on_signal(jumps_within, 0);
  signals("handler", i);
  on_signal(jumps_out, 0);
  signals("out of a handler", i);
  return i;
}

static char low[1 << 16];

/* Below the thread's stack, and above the frames that are interrupted. */
cairn_unmanaged static long alternate(long i)
{
  char high[1 << 16];
  stack_t stack = {.ss_sp = i % 2 ? low : high, .ss_size = sizeof low}, before;

  if (sigaltstack(&stack, &before) != 0)
    exit(1);
  on_signal(jumps_within, SA_ONSTACK);
  signals("alternate", i);
  on_signal(jumps_out, SA_ONSTACK);
  signals("out of an alternate stack", i);
  sigaltstack(&before, NULL);
  return i;
}

/* ---- on a stack that is no thread's ---- */

static void on_coroutine(long i)
{
  expect("one, on a coroutine", around(one, i), 4 * i);
  coroutine_yield();
  expect("nested, on a coroutine", around(nested, i), 4 * i);
}

cairn_unmanaged static long coroutines(long i)
{
  void *coroutine = coroutine_new(on_coroutine, i);

  while (!coroutine_is_over(coroutine))
    coroutine_resume(coroutine);
  coroutine_free(coroutine);
  return i;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 20;

  for (long i = 0; i < rounds; i++) {
    expect("one", around(one, i), 4 * i);
    expect("nested", around(nested, i % 7), 4 * (i % 7));
    expect("none", around(none, i), 4 * i);
    expect("handlers", around(handlers, i % 5), 4 * (i % 5));
#ifndef BUILTIN /* nothing tells that a handler's frames above are gone */
    expect("alternate", around(alternate, i % 5), 4 * (i % 5));
#endif
    expect("coroutines", around(coroutines, i % 5), 4 * (i % 5));
  }
  printf("%s: %ld jumps\n", wrong ? "wrong" : "right", jumps);
  return wrong != 0;
}
