/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of writes into one object, whose cards are marked once: in one block, with no safepoint
 * between, to places at constant distances that lie within the length of a card. They are on two
 * cards at most, so the marks of the first and of the last place do for all. To look whether these
 * are dirty, as those of young objects mostly are, takes less than two marks. Needs: struct
 * cn_safepoint_free. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/barriers/barriers.h"

enum {
  MIN_MARKS = 2,  /* marks without this */
  LOOKED_AT = 64, /* writes that may come after the first of a run */
};

/* The writes of one run, as far as it has come. */
struct run {
  LLVMValueRef base;
  uint32_t window;
  LLVMBasicBlockRef block;
  int64_t low, high; /* distances of the places, which may lie before the base; the last end */
  unsigned marks;    /* that they would have without this */
};

static const int64_t CARD_BYTES = (int64_t)1 << CAIRN_ABI_CARD_SHIFT;

/* May the write be one of a run? LLVM folds places at a distance from an undefined base: the run's
 * would not be found to be those of the writes. */
static bool is_fixed(const struct cn_pending *write)
{
  return !write->joined && write->base && !LLVMIsUndef(write->base) && write->bytes &&
         write->bytes <= (uint64_t)CARD_BYTES;
}

/* Add the write to the run, if it belongs there. */
static bool extend(struct run *run, const struct cn_pending *write)
{
  if (!is_fixed(write) || write->alike != run->base || write->window != run->window ||
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

/* The run that begins with `first`: writes of other objects may lie between. */
static struct run measure(const struct cn_pendings *pendings, size_t first)
{
  const struct cn_pending *write = &pendings->writes.at[first];
  struct run run = {.base = write->alike,
                    .window = write->window,
                    .block = LLVMGetInstructionParent(write->at),
                    .low = (int64_t)write->offset,
                    .high = (int64_t)write->offset};

  CN_ASSERT(is_fixed(write));
  for (size_t i = first; i < pendings->writes.count && i - first <= LOOKED_AT; i++)
    extend(&run, &pendings->writes.at[i]);
  return run;
}

/* Those that come after the first do not have a mark of their own. */
static void join(struct cn_pendings *pendings, size_t first, const struct run *found)
{
  struct run run = *found;

  for (size_t i = first + 1; i < pendings->writes.count && i - first <= LOOKED_AT; i++)
    if (extend(&run, &pendings->writes.at[i]))
      pendings->writes.at[i].joined = true;
  CN_ASSERT(run.low == found->low && run.high == found->high);
  pendings->writes.at[first].run_low = (uint64_t)found->low;
  pendings->writes.at[first].run_bytes = (uint64_t)(found->high - found->low);
}

void cn_barrier_runs_find(struct cn_pendings *pendings)
{
  for (size_t i = 0; i < pendings->writes.count; i++)
    if (is_fixed(&pendings->writes.at[i])) {
      struct run run = measure(pendings, i);
      if (run.marks >= MIN_MARKS)
        join(pendings, i, &run);
    }
}
