/* SPDX-License-Identifier: Apache-2.0
 *
 * The return barriers on a stack (young.c says what for), and what happens when an activation
 * returns through one.
 *
 * A return address can be replaced if it leads from a function with frame maps to one with frame
 * maps, and lies where the frame map says. A function that makes a tail call hands its return
 * address on, which may then lie elsewhere, even in an anchor. The address of a barrier tells which
 * barrier it is, wherever it is found, so that no table is searched by places; a walk that finds it
 * notes the place. A barrier is taken off only if the last walk that came by saw it where it was
 * set; others wait. A barrier has gone with its activation if a walk has gone past its place, or an
 * activation returns to an older barrier.
 *
 * One stack has all barriers for now, the main thread's; the others are looked at whole.
 */
#include "runtime/walk/return_barriers.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/report.h"
#include "runtime/core/upcalls.h"

enum {
  SPREAD = 4, /* distances grow at least by this from one barrier to the one after the next */
  MOST = 16   /* stops by which a return moves a barrier down: 1, then 2, 4, ..., MOST */
};

uintptr_t cn_return_barrier_cells[CAIRN_ABI_BARRIERS];

static struct cn_return_barrier barriers[CAIRN_ABI_BARRIERS]; /* the oldest first */
static unsigned count;
static uint32_t taken; /* cells of barriers[] */
_Static_assert(CAIRN_ABI_BARRIERS <= 32, "`taken` has a bit for each");

/* Slots that fit, not much more than CN_RETURN_BARRIER_STOP activations apart, the oldest first:
 * those that a scan noted, and those that had a barrier. A slot that is younger
 * than the youngest barrier means nothing; the others are as they were when a scan saw them. */
static CN_GROW(uintptr_t *) stops;
static size_t far = 1;

static _Atomic bool distrusted;

bool cn_return_barrier_pass(struct cn_frame *frame)
{
  unsigned index;

  if (!cn_arch_barrier_index(frame->pc, &index))
    return false;
  CN_ASSERT(index < CAIRN_ABI_BARRIERS && frame->pc_slot != NULL);
  frame->barrier = frame->pc_slot;
  frame->pc_slot = &cn_return_barrier_cells[index];
  frame->pc = *frame->pc_slot;
  return true;
}

bool cn_return_barrier_is_there(const struct cn_frame *frame)
{
  return frame->pc_slot >= cn_return_barrier_cells &&
         frame->pc_slot < cn_return_barrier_cells + CAIRN_ABI_BARRIERS;
}

const struct cairn_mutator *cn_return_barrier_owner(void)
{
  const struct cairn_mutator *owner = cn_mutator_main();

  return owner && owner->attached ? owner : NULL;
}

/* ---- barriers that are set ---- */

static void forget_stops(uintptr_t sp)
{
  while (stops.count != 0 && (uintptr_t)stops.at[stops.count - 1] < sp)
    stops.count--;
}

static const char *stops_wrong(uintptr_t sp)
{
  for (size_t i = 0; i < stops.count; i++) {
    if ((uintptr_t)stops.at[i] < sp)
      break;
    if (i > 0 && stops.at[i] > stops.at[i - 1])
      return "return barriers: the stops go up";
  }
  return NULL;
}

const char *cn_return_barriers_wrong(void)
{
  uint32_t seen = 0;

  if (count > CAIRN_ABI_BARRIERS)
    return "return barriers: more are set than there are";
  for (unsigned i = 0; i < count; i++) {
    if (barriers[i].cell >= CAIRN_ABI_BARRIERS || (seen >> barriers[i].cell & 1) != 0)
      return "return barriers: two have one cell";
    if (i > 0 && barriers[i].sp >= barriers[i - 1].sp)
      return "return barriers: they do not go down the stack";
    if (cn_return_barrier_cells[barriers[i].cell] == 0)
      return "return barriers: a cell has no return address";
    seen |= UINT32_C(1) << barriers[i].cell;
  }
  if (seen != taken)
    return "return barriers: their cells are not those that are taken";
  return count == 0 ? NULL : stops_wrong(barriers[count - 1].sp);
}

struct cn_return_barrier *cn_return_barrier_met(const uintptr_t *cell)
{
  CN_ASSERT_VALID(cn_return_barriers_wrong());
  CN_ASSERT(cell == NULL || (cell >= cn_return_barrier_cells &&
                             cell < cn_return_barrier_cells + CAIRN_ABI_BARRIERS));
  unsigned barrier = cell == NULL ? CAIRN_ABI_BARRIERS : (unsigned)(cell - cn_return_barrier_cells);

  while (count != 0 && barriers[count - 1].cell != barrier)
    taken &= ~(UINT32_C(1) << barriers[--count].cell);
  if (count == 0 && cell != NULL)
    cairn_fatal("a return address is that of barrier %u, which is not set", barrier);
  struct cn_return_barrier *met = cn_return_barrier_youngest();
  forget_stops(met == NULL ? UINTPTR_MAX : met->sp);
  return met;
}

void cn_return_barrier_stop(uintptr_t *slot)
{
  CN_ASSERT((uintptr_t)slot % sizeof *slot == 0);
  cn_grow_push(&stops, slot);
}

struct cn_return_barrier *cn_return_barrier_youngest(void)
{
  return count == 0 ? NULL : &barriers[count - 1];
}

/* Write the cell before the slot, so that a return or a walk by the barrier finds the cell right.
 */
void cn_return_barrier_set(uintptr_t *slot, uint64_t below)
{
  if (count == CAIRN_ABI_BARRIERS || distrusted || !cn_arch_may_replace())
    return;
  CN_ASSERT(~taken != 0 && *slot != 0);
  CN_ASSERT(count == 0 || (uintptr_t)(slot + 1) < barriers[count - 1].sp);
  unsigned barrier = (unsigned)__builtin_ctz(~taken);
  taken |= UINT32_C(1) << barrier;
  barriers[count++] = (struct cn_return_barrier){slot, (uintptr_t)(slot + 1), below,
                                                 (uint8_t)barrier, .in_place = true};
  __atomic_store_n(&cn_return_barrier_cells[barrier], *slot, __ATOMIC_RELEASE);
  __atomic_store_n(slot, cn_arch_barrier(barrier), __ATOMIC_RELEASE);
  CN_ASSERT_VALID(cn_return_barriers_wrong());
}

/* Keep the stops in order. */
static void insert_stop(uintptr_t *slot)
{
  cn_grow_push(&stops, slot);
  for (size_t i = stops.count - 1; i > 0 && stops.at[i - 1] < slot; i--) {
    stops.at[i] = stops.at[i - 1];
    stops.at[i - 1] = slot;
  }
}

static void take_off(unsigned index)
{
  struct cn_return_barrier *barrier = &barriers[index];

  CN_ASSERT(index < count && barrier->in_place);
  CN_ASSERT(*barrier->slot == cn_arch_barrier(barrier->cell));
  insert_stop(barrier->slot);
  __atomic_store_n(barrier->slot, cn_return_barrier_cells[barrier->cell], __ATOMIC_RELEASE);
  taken &= ~(UINT32_C(1) << barrier->cell);
  count--;
  for (unsigned i = index; i < count; i++)
    barriers[i] = barriers[i + 1];
}

void cn_return_barrier_thin(uint64_t all)
{
  CN_ASSERT_VALID(cn_return_barriers_wrong());
  far = 1;
  for (unsigned i = 1; i + 1 < count;)
    if (barriers[i].in_place &&
        all - barriers[i - 1].below < SPREAD * (all - barriers[i + 1].below))
      take_off(i);
    else
      i++;
  CN_ASSERT_VALID(cn_return_barriers_wrong());
}

bool cn_return_barrier_distrust(bool distrust)
{
  return atomic_exchange(&distrusted, distrust);
}

/* ---- returns ---- */

/* Set a barrier some stops down, if no other is as near. Nothing there has run since the last scan,
 * so no walk is needed. */
static void set_below(uint64_t below)
{
  const struct cn_return_barrier *next = cn_return_barrier_youngest();
  size_t steps = stops.count < far ? stops.count : far;

  if (steps == 0)
    return;
  uintptr_t *slot = stops.at[stops.count - steps];
  if (next != NULL && (uintptr_t)slot + sizeof *slot >= next->sp)
    return;
  cn_return_barrier_set(
      slot, below > steps * CN_RETURN_BARRIER_STOP ? below - steps * CN_RETURN_BARRIER_STOP : 0);
  if (far < MOST)
    far *= 2;
}

void cn_return_barrier_returned(const struct cn_regs *regs, uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint64_t busy = mutator->busy;
  unsigned index;

  if (!cn_arch_barrier_index(pc, &index))
    cairn_fatal("0x%lx is not a barrier", (unsigned long)pc);
  CN_CHECK(mutator->attached && mutator->stopped == NULL);
  CN_ASSERT(cn_return_barrier_cells[index] == regs->pc);
  mutator->busy = 1; /* no signal handler now */
  uint64_t below = cn_return_barrier_met(&cn_return_barrier_cells[index])->below;
  CN_ASSERT(count > 0 && barriers[count - 1].cell == index);
  taken &= ~(UINT32_C(1) << barriers[--count].cell);
  forget_stops(cn_arch_sp_after(regs));
  set_below(below);
  CN_ASSERT_VALID(cn_return_barriers_wrong());
  mutator->busy = busy;
  if (busy == 0)
    cn_upcall_release();
}
