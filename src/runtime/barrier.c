/* SPDX-License-Identifier: Apache-2.0
 *
 * The ladder of barriers on a stack (young.c says what for), and what happens when an activation
 * returns through one.
 *
 * Which return addresses can be replaced: of a function with frame maps to a function with frame maps,
 * where the frame map says that it is. A function that makes a tail call hands its return address on:
 * it then may lie elsewhere, in an anchor even. The address of a barrier tells which it is wherever it
 * is found, so that no table is searched by places; and the place is taken down when it is found. So
 * is a barrier taken off only if the last walk that came by saw it where it was set; others wait. That
 * a barrier is gone with its activation is known when a walk has gone past its place, or when an older
 * one is returned to.
 *
 * One stack for now, which has all barriers.
 */
#include "runtime/barrier.h"

#include <stdatomic.h>
#include "runtime/report.h"

enum {
  SPREAD = 4, /* distances grow by so much from one barrier to the one after the next, at least */
  BATCH = 64, /* a barrier that was returned to is set so much further down; twice that next time */
  MOST = 1024
};

uintptr_t cn_barrier_cells[CAIRN_ABI_BARRIERS];

static struct cn_rung rungs[CAIRN_ABI_BARRIERS]; /* the oldest first */
static unsigned count;
static uint32_t taken; /* barriers of rungs[] */
_Static_assert(CAIRN_ABI_BARRIERS <= 32, "`taken` has a bit for each");

static _Atomic bool distrusted;
static uint64_t batch = BATCH;

bool cn_barrier_pass(struct cn_frame *frame)
{
  unsigned index;

  if (!cn_arch_barrier_index(frame->pc, &index))
    return false;
  frame->barrier = frame->pc_slot;
  frame->pc_slot = &cn_barrier_cells[index];
  frame->pc = *frame->pc_slot;
  return true;
}

bool cn_barrier_is_there(const struct cn_frame *frame)
{
  return frame->pc_slot >= cn_barrier_cells &&
         frame->pc_slot < cn_barrier_cells + CAIRN_ABI_BARRIERS;
}

/* ---- the ladder ---- */

struct cn_rung *cn_barrier_met(const uintptr_t *cell)
{
  unsigned barrier = cell == NULL ? CAIRN_ABI_BARRIERS : (unsigned)(cell - cn_barrier_cells);

  while (count != 0 && rungs[count - 1].barrier != barrier)
    taken &= ~(UINT32_C(1) << rungs[--count].barrier);
  if (count == 0 && cell != NULL)
    cairn_fatal("a return address is that of barrier %u, which is not set", barrier);
  return cn_barrier_youngest();
}

struct cn_rung *cn_barrier_youngest(void)
{
  return count == 0 ? NULL : &rungs[count - 1];
}

/* The cell is right before anybody can come by the barrier. */
void cn_barrier_set(uintptr_t *slot, uint64_t below)
{
  if (count == CAIRN_ABI_BARRIERS || distrusted || !cn_arch_may_replace())
    return;
  unsigned barrier = (unsigned)__builtin_ctz(~taken);
  taken |= UINT32_C(1) << barrier;
  rungs[count++] =
      (struct cn_rung){slot, (uintptr_t)(slot + 1), below, (uint8_t)barrier, .in_place = true};
  __atomic_store_n(&cn_barrier_cells[barrier], *slot, __ATOMIC_RELEASE);
  __atomic_store_n(slot, cn_arch_barrier(barrier), __ATOMIC_RELEASE);
}

static void take_off(unsigned index)
{
  struct cn_rung *rung = &rungs[index];

  __atomic_store_n(rung->slot, cn_barrier_cells[rung->barrier], __ATOMIC_RELEASE);
  taken &= ~(UINT32_C(1) << rung->barrier);
  count--;
  for (unsigned i = index; i < count; i++)
    rungs[i] = rungs[i + 1];
}

void cn_barrier_thin(uint64_t all)
{
  batch = BATCH;
  for (unsigned i = 1; i + 1 < count;)
    if (rungs[i].in_place && all - rungs[i - 1].below < SPREAD * (all - rungs[i + 1].below))
      take_off(i);
    else
      i++;
}

bool cn_barrier_distrust(bool distrust)
{
  return atomic_exchange(&distrusted, distrust);
}

/* ---- returns ---- */

/* Set a barrier some activations below where the walk is now, if none is as near. */
static void set_below(struct cn_walk *walk, uint64_t below)
{
  const struct cn_frame *frame = &walk->frame;

  for (uint64_t depth = 0; depth < 2 * batch; depth++) {
    bool callee = frame->map != NULL;
    if (!cn_walk_next(walk) || cn_barrier_is_there(frame))
      return;
    if (depth + 1 >= batch && callee && cn_barrier_fits(frame, frame->pc_slot)) {
      cn_barrier_set(frame->pc_slot, below - depth - 1);
      break;
    }
  }
  if (batch < MOST)
    batch *= 2;
}

/* If the activation goes on where no frame map is (someone has diverted it), it is not walked from:
 * the next older rung is what there is. */
void cn_barrier_returned(const struct cn_regs *regs, uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint64_t busy = mutator->busy;
  struct cn_walk walk;
  unsigned index;

  if (!cn_arch_barrier_index(pc, &index))
    cairn_fatal("0x%lx is not a barrier", (unsigned long)pc);
  mutator->busy = 1; /* no managed signal handler now */
  uint64_t below = cn_barrier_met(&cn_barrier_cells[index])->below;
  taken &= ~(UINT32_C(1) << rungs[--count].barrier);
  if (!distrusted && cn_frames_find(regs->pc) != NULL && cn_walk_begin(&walk, mutator, regs))
    set_below(&walk, below);
  mutator->busy = busy;
}
