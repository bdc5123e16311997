/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds safepoints in places that must be free of them: in functions with the attribute "cairn-nopoll", and between the
 * markers of regions (docs/placement.md). Needs: struct cn_cfg. Provides: nopoll-safepoint, nopoll-region. Breaks:
 * nothing.
 *
 * A dataflow computes for each block how many regions may be open at its start, as a set of numbers. A path that
 * reaches a statepoint or an exit with an open region is an error. This file and nopoll.c share no code.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/verify.h"

/* Bit n says that n regions may be open. The last bit represents all larger numbers. */
typedef uint64_t open_region_set;
#define NO_REGION_OPEN 1u
#define MANY_REGIONS_OPEN (1ull << 63)

static bool is_call_to(LLVMValueRef i, const char *name)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;
  size_t length;

  return callee && strcmp(LLVMGetValueName2(callee, &length), name) == 0;
}

static open_region_set update_open_regions(LLVMValueRef i, open_region_set open)
{
  if (is_call_to(i, CN_NOPOLL_BEGIN))
    return open << 1 | (open & MANY_REGIONS_OPEN);
  if (is_call_to(i, CN_NOPOLL_END))
    return open >> 1 | (open & (NO_REGION_OPEN | MANY_REGIONS_OPEN));
  return open;
}

static bool is_function_exit(LLVMValueRef i)
{
  return LLVMIsAReturnInst(i) || LLVMIsAResumeInst(i);
}

static void check_region_instruction(struct cn_verifier *v, LLVMValueRef i, open_region_set open, bool nopoll)
{
  char name[160];

  if (cn_classify_call(i).kind == CN_CALL_STATEPOINT && !cn_calls_keeps_objects_in_place(i) &&
      (nopoll || open & ~(open_region_set)NO_REGION_OPEN))
    cn_error(v->ctx, i, "nopoll-safepoint", "%s is a safepoint in a %s that must have none",
             cn_verify_name_statepoint(i, name, sizeof name), nopoll ? "function" : "region");
  if (is_function_exit(i) && open & ~(open_region_set)NO_REGION_OPEN)
    cn_error(v->ctx, i, "nopoll-region", "the function is left in a region without safepoints");
  if (is_call_to(i, CN_NOPOLL_END) && open & NO_REGION_OPEN)
    cn_error(v->ctx, i, "nopoll-region", "a region without safepoints ends that has not begun");
}

static open_region_set scan_block_regions(struct cn_verifier *v, uint32_t b, open_region_set open, bool report,
                                          bool nopoll)
{
  CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block) {
    if (report)
      check_region_instruction(v, i, open, nopoll);
    open = update_open_regions(i, open);
  }
  return open;
}

void cn_verify_nopoll(struct cn_verifier *v)
{
  bool marked =
      LLVMGetNamedFunction(v->ctx->module, CN_NOPOLL_BEGIN) || LLVMGetNamedFunction(v->ctx->module, CN_NOPOLL_END);
  bool nopoll = cn_string_attribute(v->function, CN_ATTR_NOPOLL) != NULL;
  if (!marked && !nopoll)
    return;
  open_region_set *open = cn_alloc(v->cfg.count * sizeof *open);
  open[0] = NO_REGION_OPEN;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < v->cfg.count; b++) {
      open_region_set end = scan_block_regions(v, b, open[b], false, nopoll);
      for (uint32_t s = 0; s < v->cfg.blocks[b].succ_count; s++) {
        open_region_set *to = &open[v->cfg.blocks[b].succs[s]];
        changed |= (end & ~*to) != 0;
        *to |= end;
      }
    }
  }
  for (uint32_t b = 0; b < v->cfg.count; b++) {
    CN_CHECK(open[b]);
    scan_block_regions(v, b, open[b], true, nopoll);
  }
  free(open);
}
