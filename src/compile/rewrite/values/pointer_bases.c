/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces calls of llvm.experimental.gc.get.pointer.base and .offset, which ask for the base of a derived pointer and
 * for the pointer's distance from the base (statepoints-later, "Base & Derived Pointers"). Part of rewrite-statepoints.
 * The result is the base that a statepoint would list, which is then a reference like others; a distance within an
 * object stays the same when the object moves.
 *
 * Needs: struct cn_refs before cn_liveness_compute(). Provides: the function is free of both intrinsics. Breaks: struct
 * cn_refs, if the function changed.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/rewrite/values/refs.h"
#include "compile/core/each.h"

struct base_queries {
  CN_VECTOR(LLVMValueRef) calls;
};

static bool is_base_query(LLVMValueRef instruction)
{
  return cn_calls_intrinsic(instruction, "llvm.experimental.gc.get.pointer.base");
}

static bool is_offset_query(LLVMValueRef instruction)
{
  return cn_calls_intrinsic(instruction, "llvm.experimental.gc.get.pointer.offset");
}

bool cn_pointer_bases_are_queried(LLVMModuleRef module)
{
  static const char prefix[] = "llvm.experimental.gc.get.pointer.";
  size_t length;

  CN_EACH_FUNCTION(f, module)
    if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
        strncmp(LLVMGetValueName2(f, &length), prefix, sizeof prefix - 1) == 0)
      return true;
  return false;
}

/* The base of `pointer`. A pointer that never moves is its own base. */
static LLVMValueRef base_of(const struct cn_base_map *bases, LLVMValueRef pointer)
{
  const uint64_t *base = cn_ptrmap_find(&bases->of, pointer);

  return base && *base ? (LLVMValueRef)(uintptr_t)*base : pointer;
}

static LLVMValueRef build_ptrtoint(LLVMBuilderRef builder, LLVMValueRef pointer, LLVMTypeRef integer)
{
  return LLVMBuildPtrToInt(builder, pointer, integer, "");
}

static void replace_query(LLVMBuilderRef builder, LLVMValueRef question, const struct cn_base_map *bases)
{
  LLVMValueRef pointer = LLVMGetOperand(question, 0), value = base_of(bases, pointer);
  LLVMValueRef declaration = cn_direct_callee(question);
  LLVMTypeRef type = LLVMTypeOf(question);

  if (is_offset_query(question)) {
    LLVMPositionBuilderBefore(builder, question);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(question));
    LLVMValueRef from = build_ptrtoint(builder, value, type), to = build_ptrtoint(builder, pointer, type);
    value = LLVMBuildSub(builder, to, from, "");
  }
  CN_CHECK(LLVMTypeOf(value) == type);
  LLVMReplaceAllUsesWith(question, value);
  LLVMInstructionEraseFromParent(question);
  if (!LLVMGetFirstUse(declaration))
    LLVMDeleteFunction(declaration);
}

/* List the calls of both intrinsics in the block. The operands of these calls count as crossing, because bases are
 * found only for values that cross a parse point. */
static void gather_queries(struct cn_refs *refs, LLVMBasicBlockRef block, struct base_queries *out)
{
  CN_EACH_INSTRUCTION(i, block) {
    if (!is_base_query(i) && !is_offset_query(i))
      continue;
    cn_push(&out->calls, i);
    uint32_t asked = cn_refs_index(refs, LLVMGetOperand(i, 0));
    if (asked != CN_NO_INDEX)
      refs->values.at[asked].cross_count = 1;
  }
}

bool cn_pointer_bases_replace_queries(struct cn_ctx *ctx, struct cn_refs *refs)
{
  struct base_queries questions = {0};
  struct cn_base_map bases;

  for (uint32_t b = 0; b < refs->cfg->count; b++)
    gather_queries(refs, refs->cfg->blocks[b].block, &questions);
  bool any = questions.calls.count > 0;
  if (any) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
    cn_bases_find(&bases, refs);
    for (size_t i = 0; i < questions.calls.count; i++)
      replace_query(builder, questions.calls.at[i], &bases);
    cn_bases_free(&bases);
    LLVMDisposeBuilder(builder);
  }
  cn_free(&questions.calls);
  return any;
}
