/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets return barriers on stacks (young.c explains their purpose), and handles the return of an activation through a
 * barrier.
 *
 * A return address can be replaced if both the callee and the caller have frame maps, and the address is in the slot
 * that the frame map gives. A tail call passes the return address on, possibly to another slot, even in an anchor. A
 * barrier's address identifies the barrier in any slot; a walk that finds the barrier records the slot. A barrier is
 * removed only if the last walk found the barrier in its original slot. A barrier has disappeared with its activation
 * if a walk has passed the barrier's slot, or if an activation returns to an older barrier.
 *
 * The barriers are one pool, since their stubs are static. A set of barriers belongs to one stack. The thread that
 * walks the stack changes the set in phase STOP, and the thread that runs on the stack changes the set in phase MUTATE.
 * Any thread allocates sets and barriers, and distrusts all barriers, by atomic operations. Owns the cells with the
 * replaced return addresses, the owners of cells, the sets, and the count of distrust.
 */
#include "runtime/walk/return_barriers.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/defer.h"

enum {
  DISTANCE_FACTOR = 4, /* minimal growth of depths from a barrier to the second next */
  MAX_STOP_STEPS = 16  /* a return sets the next barrier 1 stop down, then 2, 4, ..., MAX_STOP_STEPS */
};

uintptr_t cn_return_barrier_cells[CAIRN_ABI_BARRIERS];

struct cn_return_barriers {
  struct cn_return_barrier at[CN_RETURN_BARRIER_SET_CAPACITY]; /* the oldest first */
  unsigned count;
  /* Slots for later barriers, from the oldest to the youngest, about CN_RETURN_BARRIER_STOP_DISTANCE activations apart:
   * slots that a scan noted, and slots of removed barriers. Slots below the youngest barrier's address are invalid; the
   * other slots have not changed since the scan. */
  CN_GROW(struct cn_return_slot) stops;
  size_t far;
  uint64_t trusted; /* the last trusted value of `distrust_count`, or 0 */
};

static struct cn_return_barriers barrier_sets[CN_RETURN_BARRIER_SETS];
static _Atomic uint64_t lent_sets;                            /* a bit for each of barrier_sets[] */
static _Atomic uint64_t taken_cells[CAIRN_ABI_BARRIERS / 64]; /* a bit for each cell */
static struct cn_return_barriers *cell_owners[CAIRN_ABI_BARRIERS];
static _Atomic uint64_t distrust_count = 1; /* grows */
_Static_assert(CN_RETURN_BARRIER_SETS == 64 && CAIRN_ABI_BARRIERS % 64 == 0, "a bit for each");

/* ---- the pool ---- */

/* Set a clear bit and return its number; -1: all bits are set. */
static int claim_clear_bit(_Atomic uint64_t *bits)
{
  uint64_t before = atomic_load(bits);

  while (~before != 0)
    if (atomic_compare_exchange_weak(bits, &before, before | (before + 1)))
      return __builtin_ctzll(~before);
  return -1;
}

static void release_bit(_Atomic uint64_t *bits, unsigned bit)
{
  uint64_t before = atomic_fetch_and(bits, ~(UINT64_C(1) << bit));

  CN_ASSERT((before >> bit & 1) != 0);
}

static bool claim_cell(struct cn_return_barriers *set, uint8_t *cell)
{
  for (unsigned i = 0; i < CAIRN_ABI_BARRIERS / 64; i++) {
    int bit = claim_clear_bit(&taken_cells[i]);
    if (bit < 0)
      continue;
    *cell = (uint8_t)(64 * i + (unsigned)bit);
    cell_owners[*cell] = set;
    return true;
  }
  return false;
}

static void release_cell(uint8_t cell)
{
  release_bit(&taken_cells[cell / 64], cell % 64);
}

struct cn_return_barriers *cn_return_barriers_borrow_set(void)
{
  int number = claim_clear_bit(&lent_sets);

  if (number < 0)
    return NULL;
  CN_ASSERT(barrier_sets[number].count == 0);
  barrier_sets[number].stops.count = 0;
  barrier_sets[number].far = 1;
  barrier_sets[number].trusted = atomic_load(&distrust_count);
  return &barrier_sets[number];
}

unsigned cn_return_barriers_number_of(const struct cn_return_barriers *set)
{
  CN_ASSERT(set >= barrier_sets && set < barrier_sets + CN_RETURN_BARRIER_SETS);
  return (unsigned)(set - barrier_sets);
}

void cn_return_barriers_return_set(struct cn_return_barriers *set)
{
  if (set == NULL)
    return;
  while (set->count != 0)
    release_cell(set->at[--set->count].cell);
  release_bit(&lent_sets, cn_return_barriers_number_of(set));
}

const char *cn_return_barriers_pool_wrong(void)
{
  unsigned cells = 0;

  for (unsigned i = 0; i < CN_RETURN_BARRIER_SETS; i++)
    for (unsigned k = 0; k < barrier_sets[i].count; k++, cells++)
      if (cell_owners[barrier_sets[i].at[k].cell] != &barrier_sets[i] || (lent_sets >> i & 1) == 0)
        return "return barriers: one is in a set that it does not belong to";
  for (unsigned i = 0; i < CAIRN_ABI_BARRIERS / 64; i++)
    cells -= (unsigned)__builtin_popcountll(taken_cells[i]);
  return cells == 0 ? NULL : "return barriers: one is taken, and in no set";
}

/* ---- walks ---- */

bool cn_return_barrier_resolve_pc(struct cn_frame *frame)
{
  unsigned index;

  if (!cn_arch_find_return_barrier(frame->pc, &index))
    return false;
  CN_ASSERT(index < CAIRN_ABI_BARRIERS && frame->pc_slot != NULL);
  frame->barrier = frame->pc_slot;
  frame->pc_slot = &cn_return_barrier_cells[index];
  frame->pc = *frame->pc_slot;
  return true;
}

bool cn_return_barrier_is_in_frame(const struct cn_frame *frame)
{
  return frame->pc_slot >= cn_return_barrier_cells && frame->pc_slot < cn_return_barrier_cells + CAIRN_ABI_BARRIERS;
}

/* ---- setting and removing barriers ---- */

static void forget_younger_stops(struct cn_return_barriers *set, uintptr_t sp)
{
  while (set->stops.count != 0 && (uintptr_t)set->stops.at[set->stops.count - 1].slot < sp)
    set->stops.count--;
}

static const char *stops_wrong(const struct cn_return_barriers *set, uintptr_t sp)
{
  for (size_t i = 0; i < set->stops.count; i++) {
    if ((uintptr_t)set->stops.at[i].slot < sp)
      break;
    if (i > 0 && set->stops.at[i].slot > set->stops.at[i - 1].slot)
      return "return barriers: the stops go up";
  }
  return NULL;
}

const char *cn_return_barriers_wrong(const struct cn_return_barriers *set)
{
  const struct cn_return_barrier *barriers = set->at;

  if (set->count > CN_RETURN_BARRIER_SET_CAPACITY)
    return "return barriers: more are set than there are";
  for (unsigned i = 0; i < set->count; i++) {
    for (unsigned k = 0; k < i; k++)
      if (barriers[i].cell == barriers[k].cell)
        return "return barriers: two have one cell";
    if (i > 0 && barriers[i].sp >= barriers[i - 1].sp)
      return "return barriers: they do not go down the stack";
    if (cn_return_barrier_cells[barriers[i].cell] == 0)
      return "return barriers: a cell has no return address";
    if (cell_owners[barriers[i].cell] != set)
      return "return barriers: a cell is another stack's";
  }
  return set->count == 0 ? NULL : stops_wrong(set, barriers[set->count - 1].sp);
}

struct cn_return_barrier *cn_return_barrier_note_met(struct cn_return_barriers *set, const uintptr_t *cell)
{
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
  CN_ASSERT(cell == NULL || (cell >= cn_return_barrier_cells && cell < cn_return_barrier_cells + CAIRN_ABI_BARRIERS));
  unsigned barrier = cell == NULL ? CAIRN_ABI_BARRIERS : (unsigned)(cell - cn_return_barrier_cells);

  while (set->count != 0 && set->at[set->count - 1].cell != barrier)
    release_cell(set->at[--set->count].cell);
  if (set->count == 0 && cell != NULL)
    cairn_fatal("a return address is that of barrier %u, which is not set", barrier);
  struct cn_return_barrier *met = cn_return_barrier_youngest(set);
  forget_younger_stops(set, met == NULL ? UINTPTR_MAX : met->sp);
  return met;
}

void cn_return_barrier_add_stop(struct cn_return_barriers *set, struct cn_return_slot at)
{
  CN_ASSERT((uintptr_t)at.slot % sizeof *at.slot == 0 && (uintptr_t)at.slot < at.sp);
  cn_grow_push(&set->stops, at);
}

struct cn_return_barrier *cn_return_barrier_youngest(struct cn_return_barriers *set)
{
  return set->count == 0 ? NULL : &set->at[set->count - 1];
}

/* Writes the cell before the slot, so that a return or a walk through the barrier finds the return address in the
 * cell. */
void cn_return_barrier_set(struct cn_return_barriers *set, struct cn_return_slot at, uint64_t below)
{
  uintptr_t old = *at.slot, pc = cn_arch_strip_return(old);
  uint8_t cell;

  if (cn_arch_sign_like(old, pc, at.sp, at.callee) != old || set->count == CN_RETURN_BARRIER_SET_CAPACITY ||
      set->trusted != atomic_load(&distrust_count) || !cn_arch_may_replace_returns() || !claim_cell(set, &cell))
    return;
  CN_ASSERT(set->count == 0 || at.sp < set->at[set->count - 1].sp);
  uintptr_t word = cn_arch_sign_like(old, cn_arch_return_barrier_address(cell), at.sp, at.callee);
  bool may_be_restored = cn_arch_sign_like(word, pc, at.sp, at.callee) != 0;
  set->at[set->count++] = (struct cn_return_barrier){at.slot, at.sp, at.callee, below, cell, may_be_restored};
  __atomic_store_n(&cn_return_barrier_cells[cell], pc, __ATOMIC_RELEASE);
  __atomic_store_n(at.slot, word, __ATOMIC_RELEASE);
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
}

static void insert_stop(struct cn_return_barriers *set, struct cn_return_slot at)
{
  cn_grow_push(&set->stops, at);
  for (size_t i = set->stops.count - 1; i > 0 && set->stops.at[i - 1].slot < at.slot; i--) {
    set->stops.at[i] = set->stops.at[i - 1];
    set->stops.at[i - 1] = at;
  }
}

static void remove_barrier(struct cn_return_barriers *set, unsigned index)
{
  const struct cn_return_barrier barrier = set->at[index];

  CN_ASSERT(index < set->count && barrier.in_place);
  CN_ASSERT(cn_arch_strip_return(*barrier.slot) == cn_arch_return_barrier_address(barrier.cell));
  uintptr_t restored =
      cn_arch_sign_like(*barrier.slot, cn_return_barrier_cells[barrier.cell], barrier.sp, barrier.callee);
  CN_CHECK(restored != 0);
  insert_stop(set, (struct cn_return_slot){barrier.slot, barrier.sp, barrier.callee});
  __atomic_store_n(barrier.slot, restored, __ATOMIC_RELEASE);
  release_cell(barrier.cell);
  set->count--;
  for (unsigned i = index; i < set->count; i++)
    set->at[i] = set->at[i + 1];
}

void cn_return_barrier_thin_out(struct cn_return_barriers *set, uint64_t all)
{
  const struct cn_return_barrier *barriers = set->at;

  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
  set->far = 1;
  for (unsigned i = 1; i + 1 < set->count;)
    if (barriers[i].in_place && all - barriers[i - 1].below < DISTANCE_FACTOR * (all - barriers[i + 1].below))
      remove_barrier(set, i);
    else
      i++;
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
}

void cn_return_barriers_distrust_all(void)
{
  atomic_fetch_add(&distrust_count, 1);
}

bool cn_return_barriers_set_trust(struct cn_return_barriers *set, bool trust)
{
  uint64_t now = atomic_load(&distrust_count);
  bool before = set->trusted == now;

  set->trusted = trust ? now : 0;
  return before;
}

/* ---- returns ---- */

/* Set a barrier some stops down, unless another barrier is as near. Activations there have not run since the last scan,
 * so that a walk is superfluous. */
static void set_barrier_below(struct cn_return_barriers *set, uint64_t below)
{
  const struct cn_return_barrier *next = cn_return_barrier_youngest(set);
  size_t steps = set->stops.count < set->far ? set->stops.count : set->far;

  if (steps == 0)
    return;
  struct cn_return_slot at = set->stops.at[set->stops.count - steps];
  if (next != NULL && at.sp >= next->sp)
    return;
  cn_return_barrier_set(
      set, at, below > steps * CN_RETURN_BARRIER_STOP_DISTANCE ? below - steps * CN_RETURN_BARRIER_STOP_DISTANCE : 0);
  if (set->far < MAX_STOP_STEPS)
    set->far *= 2;
}

void cn_return_barrier_returned(const struct cn_saved_regs *regs, uintptr_t pc)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uint64_t busy = mutator->busy;
  unsigned index;

  if (!cn_arch_find_return_barrier(pc, &index))
    cairn_fatal("0x%lx is not a barrier", (unsigned long)pc);
  CN_CHECK(mutator->attached && mutator->stopped == NULL);
  CN_ASSERT(cn_return_barrier_cells[index] == regs->pc);
  struct cn_return_barriers *set = cell_owners[index];
  CN_CHECK(set != NULL);
  cn_defer_cancellation();
  mutator->busy = 1; /* defers signal handlers */
  uint64_t below = cn_return_barrier_note_met(set, &cn_return_barrier_cells[index])->below;
  CN_ASSERT(set->count > 0 && set->at[set->count - 1].cell == index);
  release_cell(set->at[--set->count].cell);
  forget_younger_stops(set, cn_arch_sp_after(regs));
  set_barrier_below(set, below);
  CN_ASSERT_VALID(cn_return_barriers_wrong(set));
  mutator->busy = busy;
  cn_undefer_cancellation();
  if (busy == 0)
    cn_deliver_postponed_signals();
}
