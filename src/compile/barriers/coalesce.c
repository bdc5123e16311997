/* SPDX-License-Identifier: Apache-2.0
 *
 * Coalesces the marks of cards: finds groups of writes into one object whose cards are marked once.
 *
 * The writes of a group are in one block and one safepoint-free interval, at constant distances within the length of a
 * card. So the writes touch at most two cards, the cards of the lowest and the highest address. A test of these cards
 * takes less time than two marks, because the cards of young objects are mostly dirty.
 *
 * Needs: struct cn_safepoint_free_intervals. Provides: run_low and run_bytes of the first write of a group, and
 * `joined` of the other writes. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/barriers/barriers.h"

enum {
  MIN_MARKS = 2,            /* marks of the single writes that make a group worthwhile */
  MAX_SEARCHED_WRITES = 64, /* writes after the first one */
};

/* A group of writes during the search. */
struct write_group {
  LLVMValueRef base;
  uint32_t window;
  LLVMBasicBlockRef block;
  int64_t low, high; /* the range of the writes, as distances from the base that may be negative */
  unsigned marks;    /* the number of marks without the group */
};

static const int64_t CARD_BYTES = (int64_t)1 << CAIRN_ABI_CARD_SHIFT;

/* True if the write may be part of a group. LLVM folds addresses that have an undefined base, so the verifier could not
 * match the group's range with the write. */
static bool may_join_group(const struct cn_pending_write *write)
{
  return !write->joined && write->base && !LLVMIsUndef(write->base) && write->bytes &&
         write->bytes <= (uint64_t)CARD_BYTES;
}

static bool extend_group(struct write_group *run, const struct cn_pending_write *write)
{
  if (!may_join_group(write) || write->alike != run->base || write->window != run->window ||
      LLVMGetInstructionParent(write->at) != run->block)
    return false;
  int64_t start = (int64_t)write->offset, end = (int64_t)(write->offset + write->bytes);
  int64_t low = start < run->low ? start : run->low, high = end > run->high ? end : run->high;
  if (end < start || (uint64_t)high - (uint64_t)low > (uint64_t)CARD_BYTES)
    return false;
  run->low = low;
  run->high = high;
  run->marks += write->one ? 1 : 2;
  return true;
}

/* The group that begins with write `first`. Writes to other objects may come between the group's writes. */
static struct write_group measure_group(const struct cn_pending_writes *pendings, size_t first)
{
  const struct cn_pending_write *write = &pendings->writes.at[first];
  struct write_group run = {.base = write->alike,
                            .window = write->window,
                            .block = LLVMGetInstructionParent(write->at),
                            .low = (int64_t)write->offset,
                            .high = (int64_t)write->offset};

  CN_ASSERT(may_join_group(write));
  for (size_t i = first; i < pendings->writes.count && i - first <= MAX_SEARCHED_WRITES; i++)
    extend_group(&run, &pendings->writes.at[i]);
  return run;
}

static void join_writes(struct cn_pending_writes *pendings, size_t first, const struct write_group *found)
{
  struct write_group run = *found;

  for (size_t i = first + 1; i < pendings->writes.count && i - first <= MAX_SEARCHED_WRITES; i++)
    if (extend_group(&run, &pendings->writes.at[i]))
      pendings->writes.at[i].joined = true;
  CN_ASSERT(run.low == found->low && run.high == found->high);
  pendings->writes.at[first].run_low = (uint64_t)found->low;
  pendings->writes.at[first].run_bytes = (uint64_t)(found->high - found->low);
}

void cn_barrier_coalesce_writes(struct cn_pending_writes *pendings)
{
  for (size_t i = 0; i < pendings->writes.count; i++)
    if (may_join_group(&pendings->writes.at[i])) {
      struct write_group run = measure_group(pendings, i);
      if (run.marks >= MIN_MARKS)
        join_writes(pendings, i, &run);
    }
}
