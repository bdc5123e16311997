/* SPDX-License-Identifier: Apache-2.0
 *
 * How long loops run. Needs: struct cn_cfg. Provides: struct cn_loops with sizes, trip counts and
 * work. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"

/* The work of a block's instructions, the same with unbounded work counted as a call, and what is
 * added where accesses miss. */
struct block_work {
  uint64_t all, size, misses;
  bool calls;
};

/* Is it a memset or memcpy of unknown length? */
static bool fills_memory(LLVMValueRef i)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;
  size_t length;

  return callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.mem", 8) == 0 &&
         !LLVMIsConstant(LLVMGetOperand(i, 2));
}

static bool costs_more_than_poll(LLVMValueRef i)
{
  enum cn_call_kind kind = cn_classify_call(i).kind;

  return fills_memory(i) || (kind != CN_CALL_NOT && kind != CN_CALL_LEAF);
}

static struct block_work work_of_block(LLVMBasicBlockRef block)
{
  struct block_work work = {0};

  CN_EACH_INSTRUCTION(i, block) {
    uint64_t one = cn_work_of(i);
    work.all = cn_work_add(work.all, one);
    work.size = cn_work_add(work.size, one == CN_WORK_UNKNOWN ? CN_CALL_WORK : one);
    work.misses = cn_work_add(work.misses, cn_work_of_miss(i));
    work.calls |= costs_more_than_poll(i);
  }
  return work;
}

/* Set size, trip count and work of loop `l`. Its inner loops are measured, and their work is in its
 * `work`. */
static void measure(struct cn_loops *loops, uint32_t l, const struct block_work *works)
{
  struct cn_loop *loop = &loops->at[l];
  uint64_t once = loop->work;

  CN_CHECK(loop->parent == CN_NO_BLOCK || loop->parent > l); /* innermost first */
  loop->trips = CN_WORK_UNKNOWN;
  for (uint32_t i = 0; i < loop->count; i++) {
    uint32_t b = loop->blocks[i];
    loop->size = cn_work_add(loop->size, works[b].size);
    loop->misses = cn_work_add(loop->misses, works[b].misses);
    loop->calls |= works[b].calls;
    if (loops->of[b] == l)
      once = cn_work_add(once, works[b].all);
    uint64_t trips = cn_trip_count_by_exit(loops, l, b);
    loop->trips = trips < loop->trips ? trips : loop->trips;
  }
  loop->work = loop->irreducible ? CN_WORK_UNKNOWN : cn_work_times(once, loop->trips);
  if (loop->parent != CN_NO_BLOCK)
    loops->at[loop->parent].work = cn_work_add(loops->at[loop->parent].work, loop->work);
}

void cn_loops_find(struct cn_loops *loops, const struct cn_cfg *cfg)
{
  struct block_work *works = cn_alloc(cfg->count * sizeof *works);

  cn_loops_build(loops, cfg);
  for (uint32_t b = 0; b < cfg->count; b++)
    works[b] = work_of_block(cfg->blocks[b].block);
  for (uint32_t l = 0; l < loops->count; l++)
    measure(loops, l, works);
  free(works);
}
