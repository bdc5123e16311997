/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports the number of safepoints, leaf calls and relocations of each managed function in the finished module, and its
 * time to safepoint with the causes (options->report; docs/placement.md, "What did it do?").
 *
 * Needs: rewritten IR. Provides: cn_remark_on_functions(), which makes remarks. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/pass.h"
#include "compile/cost/cost.h"

struct call_counts {
  unsigned polls, statepoints, leaves, relocations;
};

static bool is_function_named(LLVMValueRef function, const char *name)
{
  size_t length;

  return LLVMIsAFunction(function) && strcmp(LLVMGetValueName2(function, &length), name) == 0;
}

/* True for a relocation of the program. Debug records name relocations without a use. */
static bool is_relocation(LLVMValueRef call)
{
  return cn_calls_intrinsic(call, "llvm.experimental.gc.relocate") && LLVMGetFirstUse(call);
}

/* Count a call. The callee of a statepoint is its third operand. */
static void count_call(struct call_counts *counts, LLVMValueRef i)
{
  enum { STATEPOINT_CALLEE = 2 };

  CN_ASSERT(cn_is_call(i));
  switch (cn_classify_call(i).kind) {
  case CN_CALL_STATEPOINT:
    if (is_function_named(LLVMGetOperand(i, STATEPOINT_CALLEE), CN_POLL_SLOW) ||
        is_function_named(LLVMGetOperand(i, STATEPOINT_CALLEE), CN_POLL))
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

static const char *plural_suffix_of(unsigned count)
{
  return count == 1 ? "" : "s";
}

static void remark_safepoint_counts(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct call_counts c = {0};

  CN_ASSERT(!LLVMIsDeclaration(function) && ctx->options->report);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i))
        count_call(&c, i);
  if (c.polls + c.statepoints + c.leaves == 0)
    cn_remark(ctx, function, "safepoints", "no safepoint, no call");
  else
    cn_remark(ctx, function, "safepoints", "%u poll%s, %u other safepoint%s, %u leaf call%s, %u relocation%s", c.polls,
              plural_suffix_of(c.polls), c.statepoints, plural_suffix_of(c.statepoints), c.leaves,
              plural_suffix_of(c.leaves), c.relocations, plural_suffix_of(c.relocations));
}

/* Report a function's time to safepoint, converted from units of work into microseconds. */
static void remark_time_to_safepoint(void *env, const struct cairn_time *time)
{
  struct cn_ctx *ctx = env;
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, time->function);
  uint64_t ways[] = {time->enter, time->between, time->leave, time->through}, most = 0;

  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    most = ways[i] > most ? ways[i] : most;
  if (function && most == CN_WORK_UNKNOWN)
    cn_remark(ctx, function, "time", "how long it may run without a safepoint has no bound");
  else if (function)
    cn_remark(ctx, function, "time", "without a safepoint it runs for at most about %.2f us",
              (double)most / CAIRN_TIME_PER_US);
  for (size_t i = 0; function && i < time->cause_count; i++)
    cn_remark(ctx, function, "time", "%s in line %u: %s", time->causes[i].kind, time->causes[i].line,
              time->causes[i].why);
}

void cn_remark_on_functions(struct cn_ctx *ctx)
{
  struct cairn_compile_options options = *ctx->options;

  if (!ctx->options->report)
    return;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      remark_safepoint_counts(ctx, f);
  options.report = false;
  cairn_time_to_safepoint(ctx->module, &options, remark_time_to_safepoint, ctx);
}
