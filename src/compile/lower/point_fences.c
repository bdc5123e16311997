/* SPDX-License-Identifier: Apache-2.0
 *
 * Inserts fences (abi.def, POINT_FENCE). LLVM 22 promises that a shadow holds neither the end of a block nor another
 * point (stackmaps-v2, "llvm.experimental.stackmap"), and it pads a shadow before a call with no-ops. For a statepoint
 * LLVM leaves the padding out, so that threads would return into the shadow (docs/llvm-22.md, "patchpoints"). A
 * stackmap without shadow directly before the statepoint makes LLVM pad. For targets whose shadows LLVM miscounts, a
 * fence directly after each stackmap makes all of its shadow no-ops, and the object side checks that the shadow ends
 * before the fence (points_build.c). Part of pass describe-points.
 *
 * Needs: final statepoints. Provides: cn_insert_point_fences(), cn_remove_point_fences(). Breaks: nothing.
 *
 * The length of the code after a stackmap is unknown, and LLVM may join blocks, so a shadow lasts up to the next point
 * or statepoint on each path.
 */
#include "compile/lower/point_fences.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/effects/points.h"

enum { STACKMAP_BYTES_OPERAND = 1 };

static bool is_statepoint(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.experimental.gc.statepoint");
}

static bool has_shadow(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.experimental.stackmap") && !LLVMIsNull(LLVMGetOperand(i, STACKMAP_BYTES_OPERAND));
}

/* True if code after `i` may lie in a shadow, if code before `i` may. */
static bool may_be_in_shadow_after(LLVMValueRef i, bool before)
{
  return has_shadow(i) || (before && !cn_is_point_call(i) && !is_statepoint(i));
}

static bool is_in_shadow_at_start(const struct cn_cfg *cfg, const bool *ends, uint32_t block)
{
  const struct cn_cfg_block *at = &cfg->blocks[block];

  for (uint32_t p = 0; p < at->pred_count; p++)
    if (ends[at->preds[p]])
      return true;
  return false;
}

/* For each block: true if its end may lie in a shadow. The caller frees the array. */
static bool *find_shadowed_ends(const struct cn_cfg *cfg)
{
  bool *ends = cn_alloc((cfg->count + 1) * sizeof *ends);
  bool changed = true;

  while (changed) {
    changed = false;
    for (uint32_t b = 0; b < cfg->count; b++) {
      bool in = is_in_shadow_at_start(cfg, ends, b);
      CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
        in = may_be_in_shadow_after(i, in);
      changed |= in != ends[b];
      ends[b] |= in;
    }
  }
  return ends;
}

static void build_fence(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef before, uint64_t id)
{
  const struct cn_point_description description = {.kind = CAIRN_ABI_POINT_FENCE};
  LLVMValueRef stackmap = cn_intrinsic(ctx, "llvm.experimental.stackmap", NULL, 0);
  struct cn_operands operands = {0};

  cn_push(&operands.values, LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), id, false));
  cn_push(&operands.values, LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), 0, false));
  cn_point_append_description(ctx, &description, &operands);
  LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(before));
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(stackmap), stackmap, operands.values.at,
                 (unsigned)operands.values.count, "");
  cn_free(&operands.values);
}

/* The fences of a function have different ids: the code generator merges equal ends of blocks, which could begin with
 * equal fences, away from their shadows. */
static void insert_after_shadows(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function)
{
  uint64_t id = 0;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (has_shadow(i))
        build_fence(ctx, builder, LLVMGetNextInstruction(i), id++);
}

static void insert_before_statepoints(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function)
{
  struct cn_cfg cfg;

  cn_cfg_build_edges(&cfg, function);
  bool *ends = find_shadowed_ends(&cfg);
  for (uint32_t b = 0; b < cfg.count; b++) {
    bool in = is_in_shadow_at_start(&cfg, ends, b);
    CN_EACH_INSTRUCTION(i, cfg.blocks[b].block) {
      if (in && is_statepoint(i))
        build_fence(ctx, builder, i, 0);
      in = may_be_in_shadow_after(i, in);
    }
  }
  free(ends);
  cn_cfg_free(&cfg);
}

void cn_insert_point_fences(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function)
{
  CN_ASSERT(!LLVMIsDeclaration(function));
  if (cn_convention_port_of(ctx->module)->miscounts_shadows)
    insert_after_shadows(ctx, builder, function);
  else
    insert_before_statepoints(ctx, builder, function);
}

void cn_remove_point_fences(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      if (cn_is_point_fence(i))
        LLVMInstructionEraseFromParent(i);
    }
}
