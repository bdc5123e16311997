/* SPDX-License-Identifier: Apache-2.0
 *
 * References in functions that the collector does not look into. Part of pass `rules`.
 *
 * Needs: unoptimised IR. Provides: diagnostic unmanaged-function. Breaks: nothing.
 *
 * In C such a function says cairn_unmanaged, and has no business with references. In a front end's
 * module it may have been written without a gc strategy for speed, and read objects: no harm,
 * unless it keeps a reference over a call that may collect. That is most likely a forgotten
 * strategy, and would be a lost root.
 */
#include <string.h>
#include "compile/calls.h"
#include "compile/rewrite.h"
#include "compile/rules.h"

static void check_c(struct cn_ctx *ctx, LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cn_holds_ref(LLVMTypeOf(i))) {
        cn_error(ctx, i, "unmanaged-function",
                 "a cairn_unmanaged function uses a reference, but the collector does not look "
                 "into its frame; give it ordinary data");
        return;
      }
}

/* A local of the function that holds references, or null. */
static LLVMValueRef find_local(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (LLVMIsAAllocaInst(i) && cn_holds_ref(LLVMGetAllocatedType(i)))
        return i;
  return NULL;
}

static void check_ir(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMValueRef local = find_local(function);
  char value_name[120], call_name[160];
  struct cn_cfg cfg;
  struct cn_refs refs;

  cn_cfg_build(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness(&refs);
  for (size_t p = 0; p < refs.points.count; p++) {
    const struct cn_parse_point *point = &refs.points.at[p];
    LLVMValueRef value =
        point->live.count ? refs.values.at[point->live.at[0]].value : local;
    if (!value)
      continue;
    cn_error(ctx, point->call, "unmanaged-function",
             "reference %s is kept over %s%s, which may move the object, but the function has no "
             "gc strategy of Cairn and the collector does not look into its frame; add "
             "gc \"statepoint-example\"",
             cn_value_name(value, value_name, sizeof value_name),
             LLVMIsAFunction(LLVMGetCalledValue(point->call)) ? "the " : "an ",
             cn_calls_name(point->call, call_name, sizeof call_name));
    break;
  }
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}

void cn_rules_native(struct cn_ctx *ctx, LLVMValueRef function)
{
  /* Bodies for inlining only; and promises of the front end that nothing below collects. */
  bool trusted = LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
                 cn_string_attribute(function, "gc-leaf-function");

  if (!ctx->options->manage_all) {
    if (!trusted)
      check_ir(ctx, function);
  } else if (!LLVMGetGC(function)) {
    check_c(ctx, function);
  }
}
