/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of stores into one object, whose cards are marked once: three stores and more in one block,
 * with no safepoint between, to places at constant distances that lie within the length of a card.
 * They are on two cards at most, so the marks of the first and of the last place do for all. Needs:
 * struct cn_windows. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/barriers/barriers.h"

enum {
  LEAST = 3,      /* two marks are what two stores have without this */
  LOOKED_AT = 64, /* writes that may come after the first of a run */
};

/* The stores of one run, as far as it has come. */
struct run {
  LLVMValueRef root;
  uint32_t window;
  LLVMBasicBlockRef block;
  uint64_t low, high; /* distances of the places, the last one's end excluded */
  size_t count;
};

static bool fits(const struct run *run, uint64_t offset)
{
  uint64_t low = offset < run->low ? offset : run->low;
  uint64_t end = offset + sizeof(uint64_t), high = end > run->high ? end : run->high;

  return high - low <= (uint64_t)1 << CAIRN_ABI_CARD_SHIFT;
}

/* Add the write to the run, if it belongs there. */
static bool extend(struct run *run, const struct cn_pending *write)
{
  if (!write->known || !write->one || write->root != run->root || write->window != run->window ||
      LLVMGetInstructionParent(write->at) != run->block || !fits(run, write->offset))
    return false;
  run->low = write->offset < run->low ? write->offset : run->low;
  if (write->offset + sizeof(uint64_t) > run->high)
    run->high = write->offset + sizeof(uint64_t);
  run->count++;
  return true;
}

/* The run that begins with `first`: writes of other objects may lie between. */
static struct run measure(const struct cn_pendings *pendings, size_t first)
{
  const struct cn_pending *write = &pendings->writes.at[first];
  struct run run = {.root = write->root,
                    .window = write->window,
                    .block = LLVMGetInstructionParent(write->at),
                    .low = write->offset,
                    .high = write->offset + sizeof(uint64_t),
                    .count = 1};

  CN_ASSERT(write->known && write->one);
  for (size_t i = first + 1; i < pendings->writes.count && i - first <= LOOKED_AT; i++)
    if (!pendings->writes.at[i].joined)
      extend(&run, &pendings->writes.at[i]);
  return run;
}

static void join(struct cn_pendings *pendings, size_t first, const struct run *found)
{
  struct run run = *found;

  for (size_t i = first + 1; i < pendings->writes.count && i - first <= LOOKED_AT; i++)
    if (!pendings->writes.at[i].joined && extend(&run, &pendings->writes.at[i]))
      pendings->writes.at[i].joined = true;
  pendings->writes.at[first].run_low = found->low;
  pendings->writes.at[first].run_bytes = found->high - found->low;
}

void cn_barrier_runs_find(struct cn_pendings *pendings)
{
  for (size_t i = 0; i < pendings->writes.count; i++) {
    const struct cn_pending *write = &pendings->writes.at[i];

    if (write->joined || !write->known || !write->one)
      continue;
    struct run run = measure(pendings, i);
    if (run.count >= LEAST)
      join(pendings, i, &run);
  }
}
