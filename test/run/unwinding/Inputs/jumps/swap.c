/* SPDX-License-Identifier: Apache-2.0
 *
 * swapcontext() below managed frames, to native code on a stack that the runtime does not know, and back; and what it must
 * not do: swap [ROUNDS | same | other].
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <cairn/abi.h>
#include <cairn/cairn.h>

extern _Thread_local char cairn_mutator[];

struct cell {
  struct cell managed *next;
  long value;
};

static ucontext_t here, there, outer;
static char *stacks[2];
static volatile long visits, landed;
static long wrong;
static const char *leaves;
static void (*churns)(long);
static struct cell managed *kept;

cairn_unmanaged static uintptr_t anchor(void)
{
  return *(uintptr_t *)(cairn_mutator + CAIRN_ABI_MUTATOR_ANCHOR);
}

static void churn(long n)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = n;
  kept = cell;
  cairn_collect();
  wrong += cell->value != n;
}

/* No managed frame is on this stack when it is left; the thread's own has some. */
cairn_unmanaged static void visit(void)
{
  for (;;) {
    visits++;
    swapcontext(&there, &here);
    if (leaves[0] == 'o')
      swapcontext(&there, &outer);
    if (leaves[0] == 'j')
      setcontext(&outer);
  }
}

cairn_unmanaged static void swaps(long n)
{
  uintptr_t before = anchor();

  for (int i = 0; i < 3; i++) {
    swapcontext(&here, &there);
    wrong += anchor() != before;
    churns(n);
  }
  if (leaves[0] == 's')
    swapcontext(&here, &outer);
}

static void down(long n)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = n;
  cell->next = kept;
  if (n > 0)
    down(n - 1);
  else
    swaps(n);
  wrong += cell->value != n;
  kept = cell;
}

/* The coroutine jumps to a frame older than managed ones: they go, with their anchors. */
cairn_unmanaged static void round_trip(long n, void (*managed_part)(long))
{
  uintptr_t before = anchor();

  getcontext(&there);
  there.uc_stack.ss_sp = stacks[n % 2];
  there.uc_stack.ss_size = 1 << 16;
  there.uc_link = NULL;
  makecontext(&there, visit, 0);
  landed = 0;
  getcontext(&outer);
  if (landed++ == 0)
    managed_part(n % 5);
  wrong += anchor() != before;
  churns(n);
}

int main(int count, char **arguments)
{
  long rounds = count > 1 ? atol(arguments[1]) : 20;
  struct cell managed *mine = cairn_new(struct cell);

  leaves = count > 1 && rounds == 0 ? arguments[1] : "never";
  mine->value = 7;
  churns = churn;
  stacks[0] = malloc(1 << 16); /* below the thread's stack */
  stacks[1] = __builtin_alloca(1 << 16);
  for (long i = 0; i < (rounds ? rounds : 1); i++) {
    leaves = rounds && i % 2 ? "jumps" : leaves;
    round_trip(i, down);
    leaves = rounds ? "never" : leaves;
  }
  printf("%s: %ld visits\n", wrong || mine->value != 7 ? "wrong" : "right", visits);
  return 0;
}
