/* SPDX-License-Identifier: Apache-2.0
 *
 * What became of each managed function, counted on the finished module, for reports
 * (options->report; docs/placement.md, "What did it do?").
 *
 * Needs: rewritten IR. Provides: one remark per function. Breaks: nothing.
 */
#include <string.h>
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/pass.h"

struct counts {
  unsigned polls, statepoints, leaves, relocations;
};

static bool is_named(LLVMValueRef function, const char *name)
{
  size_t length;

  return LLVMIsAFunction(function) && strcmp(LLVMGetValueName2(function, &length), name) == 0;
}

static bool is_relocation(LLVMValueRef call)
{
  return cn_calls_intrinsic(call, "llvm.experimental.gc.relocate");
}

/* The function that a statepoint wraps is its third operand. */
static void count(struct counts *counts, LLVMValueRef i)
{
  enum { WRAPPED = 2 };

  switch (cn_classify_call(i).kind) {
  case CN_CALL_STATEPOINT:
    if (is_named(LLVMGetOperand(i, WRAPPED), CN_POLL_SLOW))
      counts->polls++;
    else
      counts->statepoints++;
    break;
  case CN_CALL_LEAF:
    counts->relocations += is_relocation(i);
    counts->leaves += !cn_calls_some_intrinsic(i) && cn_direct_callee(i);
    break;
  default:
    break;
  }
}

static const char *plural(unsigned count)
{
  return count == 1 ? "" : "s";
}

static void summarise(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct counts c = {0};

  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cn_is_call(i))
        count(&c, i);
  if (c.polls + c.statepoints + c.leaves == 0)
    cn_remark(ctx, function, "safepoints", "no safepoint, no call");
  else
    cn_remark(ctx, function, "safepoints",
              "%u poll%s, %u other safepoint%s, %u leaf call%s, %u relocation%s", c.polls,
              plural(c.polls), c.statepoints, plural(c.statepoints), c.leaves, plural(c.leaves),
              c.relocations, plural(c.relocations));
}

void cn_summarise(struct cn_ctx *ctx)
{
  if (!ctx->options->report)
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      summarise(ctx, f);
}
