/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the marks of returns in a hash table with open addressing: the place in the table is the number of the mark's
 * stub. A mark is free after a count of all frames has not met it; the table keeps its address, so that searches go on
 * past it, until another mark takes the place.
 *
 * Marks are made and counted in a stop of the world, by the thread that has stopped the others; or made in phase MUTATE
 * under CN_LOCK_MARKS. A mark of a frame is constant, so that its readers need no lock. Owns the table.
 */
#include "runtime/walk/marked_returns.h"

#include "base/check.h"
#include "runtime/core/messages.h"

uintptr_t cn_marked_return_cells[CN_MARKED_RETURNS];
static struct {
  uint64_t reason;
  uint64_t met; /* the number of the last count that has met the mark, or during which it was made */
} marks[CN_MARKED_RETURNS];
static uint64_t count_number = 1, freed_before; /* marks that were last met before the count `freed_before` are free */
_Static_assert((CN_MARKED_RETURNS & (CN_MARKED_RETURNS - 1)) == 0, "a mask wraps searches");

/* ---- readers ---- */

bool cn_marked_return_is_in_frame(const struct cn_frame *frame, uint64_t *reason)
{
  unsigned index;

  if (frame->pc_slot == NULL || !cn_marked_return_find(cn_arch_strip_return(*frame->pc_slot), &index))
    return false;
  *reason = marks[index].reason;
  return true;
}

uint64_t cn_marked_return_reason(uintptr_t mark)
{
  unsigned index;

  if (!cn_marked_return_find(mark, &index))
    cairn_fatal("0x%lx is not a mark of a return", (unsigned long)mark);
  return marks[index].reason;
}

/* ---- the table ---- */

void cn_marked_returns_begin_count(void)
{
  count_number++;
}

void cn_marked_returns_count(const struct cn_frame *frame)
{
  unsigned index;

  if (frame->pc_slot != NULL && cn_marked_return_find(cn_arch_strip_return(*frame->pc_slot), &index))
    marks[index].met = count_number;
}

void cn_marked_returns_end_count(void)
{
  freed_before = count_number;
  CN_ASSERT_VALID(cn_marked_returns_wrong());
}

static bool is_free(unsigned index)
{
  return cn_marked_return_cells[index] == 0 || marks[index].met < freed_before;
}

/* The mark's place, or else the first free place of its search, or CN_MARKED_RETURNS. */
static unsigned find_place(uintptr_t pc, uint64_t reason)
{
  unsigned at = (unsigned)(((pc ^ reason << 7) * UINT64_C(0x9e3779b97f4a7c15)) >> 32), unused = CN_MARKED_RETURNS;

  for (unsigned i = 0; i < CN_MARKED_RETURNS; i++, at++) {
    unsigned index = at & (CN_MARKED_RETURNS - 1);
    if (cn_arch_marked_return_address(index) == 0)
      continue;
    if (cn_marked_return_cells[index] == pc && marks[index].reason == reason)
      return index;
    if (unused == CN_MARKED_RETURNS && is_free(index))
      unused = index;
    if (cn_marked_return_cells[index] == 0)
      break;
  }
  return unused;
}

uintptr_t cn_marked_return_make(uintptr_t pc, uint64_t reason)
{
  unsigned index = find_place(pc, reason);

  CN_ASSERT(pc != 0 && cn_marked_return_true_pc(pc) == pc);
  if (index == CN_MARKED_RETURNS)
    return 0;
  marks[index].reason = reason;
  marks[index].met = count_number;
  __atomic_store_n(&cn_marked_return_cells[index], pc, __ATOMIC_RELEASE);
  return cn_arch_marked_return_address(index);
}

const char *cn_marked_returns_wrong(void)
{
  if (freed_before > count_number)
    return "marks: a count has ended that has not begun";
  for (unsigned i = 0; i < CN_MARKED_RETURNS; i++) {
    if (cn_marked_return_cells[i] != 0 && cn_arch_marked_return_address(i) == 0)
      return "marks: one has no stub";
    if (marks[i].met > count_number)
      return "marks: one was met in a count to come";
    if (cn_marked_return_cells[i] != 0 &&
        cn_marked_return_true_pc(cn_marked_return_cells[i]) != cn_marked_return_cells[i])
      return "marks: one is marked";
  }
  return NULL;
}
