/* SPDX-License-Identifier: Apache-2.0
 *
 * Merges many locals of one type that holds references into one array. Part of rewrite-statepoints. Every statepoint
 * describes each local of the frame, so time and space grow with locals times safepoints, here and in the code
 * generator. An array of any length has one description. The frame keeps its size, because a described local has a
 * separate place in the frame from entry to return.
 *
 * Each user of a merged local computes the address anew, directly before the user: the code generator folds the address
 * into an offset from the stack pointer. Phis and debug records share an address in the entry block.
 *
 * Needs: a function that refuse.c accepted. Provides: few allocas to describe. Breaks: only the order of allocas.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"
#include "compile/rewrite/normalise/normalise.h"

/* The least number of locals of one type that become an array. */
enum { MIN_LOCALS = 16 };

typedef CN_VECTOR(LLVMValueRef) value_vector;

struct local_kind {
  LLVMTypeRef type;
  value_vector locals;
};

struct merger {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  CN_VECTOR(struct local_kind) kinds;
  struct cn_ptrmap index;    /* type -> index in `kinds` */
  struct cn_ptrmap declared; /* allocas that debug records name */
};

/* ---- locals that can be merged ---- */

static bool is_lifetime(LLVMValueRef user)
{
  return cn_calls_intrinsic(user, "llvm.lifetime.start") || cn_calls_intrinsic(user, "llvm.lifetime.end");
}

/* True if `call` accepts any address in place of `local`. Some intrinsics and bundles need an alloca. */
static bool accepts_any_address(LLVMValueRef call, LLVMValueRef local)
{
  LLVMValueRef callee = cn_direct_callee(call);
  bool intrinsic = callee && LLVMGetIntrinsicID(callee);

  CN_ASSERT(cn_is_call(call));
  if (is_lifetime(call))
    return true;
  if (intrinsic && !cn_is_block_copy_or_fill(call))
    return false;
  for (uint32_t o = 0; o < (uint32_t)LLVMGetNumOperands(call); o++)
    if (LLVMGetOperand(call, o) == local &&
        (o >= LLVMGetNumArgOperands(call) || LLVMGetCallSiteEnumAttribute(call, o + 1, cn_attribute_kind("inalloca"))))
      return false;
  return true;
}

static bool has_mergeable_uses_only(LLVMValueRef local)
{
  CN_EACH_USE(use, local) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || (cn_is_call(user) && !accepts_any_address(user, local)))
      return false;
  }
  return true;
}

/* True for an alloca of one object in native memory whose alignment holds for elements of an array. */
static bool is_mergeable(struct cn_ctx *ctx, LLVMValueRef local)
{
  LLVMTypeRef type = LLVMGetAllocatedType(local);
  LLVMValueRef count = LLVMIsAConstantInt(LLVMGetOperand(local, 0));

  if (!cn_holds_ref(type) || cn_holds_scalable_vector(type) || !LLVMTypeIsSized(type) || cn_is_ref(LLVMTypeOf(local)) ||
      !count || LLVMGetIntTypeWidth(LLVMTypeOf(count)) > 64 || LLVMConstIntGetZExtValue(count) != 1)
    return false;
  uint64_t size = LLVMABISizeOfType(ctx->layout, type);
  return size && size % CN_ALLOCA_WORD_BYTES == 0 && size % LLVMGetAlignment(local) == 0 &&
         has_mergeable_uses_only(local);
}

static void gather_locals(struct merger *m, LLVMValueRef function)
{
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);

  CN_EACH_INSTRUCTION(i, entry) {
    bool fresh;
    if (!LLVMIsAAllocaInst(i) || !is_mergeable(m->ctx, i))
      continue;
    uint64_t *kind = cn_ptrmap_add(&m->index, LLVMGetAllocatedType(i), &fresh);
    if (fresh) {
      *kind = m->kinds.count;
      cn_push(&m->kinds, (struct local_kind){.type = LLVMGetAllocatedType(i)});
    }
    cn_push(&m->kinds.at[*kind].locals, i);
  }
}

/* ---- the array ---- */

static void find_locals_with_debug_records(struct merger *m, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
        LLVMValueRef value = LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel ? NULL : LLVMDbgVariableRecordGetValue(r, 0);
        if (value && LLVMIsAAllocaInst(value))
          cn_ptrmap_add(&m->declared, value, NULL);
      }
}

static LLVMValueRef build_element_address(struct merger *m, LLVMValueRef array, size_t index, LLVMValueRef before)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx->llvm);
  LLVMValueRef indices[] = {LLVMConstInt(i64, 0, false), LLVMConstInt(i64, index, false)};

  CN_CHECK(index < LLVMGetArrayLength2(LLVMGetAllocatedType(array)));
  LLVMPositionBuilderBeforeInstrAndDbgRecords(m->builder, before);
  LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(before));
  return LLVMBuildInBoundsGEP2(m->builder, LLVMGetAllocatedType(array), array, indices, 2, "");
}

static void replace_operands(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to)
{
  for (int o = 0; o < LLVMGetNumOperands(user); o++)
    if (LLVMGetOperand(user, (unsigned)o) == from)
      LLVMSetOperand(user, (unsigned)o, to);
}

/* Replace `local` by element `index` of `array`. Shared addresses are computed in the entry block before `top`. */
static void replace_local(struct merger *m, LLVMValueRef local, LLVMValueRef array, size_t index, LLVMValueRef top)
{
  bool declared = cn_ptrmap_find(&m->declared, local) != NULL;
  LLVMValueRef shared = NULL;

  CN_ASSERT(LLVMGetAllocatedType(local) == LLVMGetElementType(LLVMGetAllocatedType(array)));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(local)) != NULL;) {
    LLVMValueRef user = LLVMGetUser(use);
    if (is_lifetime(user)) {
      LLVMInstructionEraseFromParent(user);
    } else if (!LLVMIsAPHINode(user)) {
      replace_operands(user, local, build_element_address(m, array, index, user));
    } else {
      shared = shared ? shared : build_element_address(m, array, index, top);
      replace_operands(user, local, shared);
    }
  }
  if (declared) /* the uses by metadata */
    LLVMReplaceAllUsesWith(local, shared ? shared : build_element_address(m, array, index, top));
  CN_CHECK(!LLVMGetFirstUse(local));
  LLVMInstructionEraseFromParent(local);
}

static void merge_locals_of_kind(struct merger *m, LLVMValueRef function, const struct local_kind *kind)
{
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  unsigned alignment = CN_ALLOCA_WORD_BYTES;

  CN_ASSERT(kind->locals.count >= MIN_LOCALS);
  LLVMPositionBuilderBeforeInstrAndDbgRecords(m->builder, first);
  LLVMSetCurrentDebugLocation2(m->builder, NULL);
  LLVMValueRef array = LLVMBuildAlloca(m->builder, LLVMArrayType2(kind->type, kind->locals.count), "locals");
  for (size_t l = 0; l < kind->locals.count; l++)
    if (LLVMGetAlignment(kind->locals.at[l]) > alignment)
      alignment = LLVMGetAlignment(kind->locals.at[l]);
  LLVMSetAlignment(array, alignment);
  for (size_t l = 0; l < kind->locals.count; l++)
    replace_local(m, kind->locals.at[l], array, l, LLVMGetNextInstruction(array));
}

/* Without parse points locals need no description, and may share their places. */
static bool has_parse_point(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_classify_call(i).kind == CN_CALL_PARSE_POINT)
        return true;
  return false;
}

void cn_merge_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct merger m = {.ctx = ctx};
  size_t most = 0;

  CN_ASSERT(LLVMIsAFunction(function));
  gather_locals(&m, function);
  for (size_t k = 0; k < m.kinds.count; k++)
    most = m.kinds.at[k].locals.count > most ? m.kinds.at[k].locals.count : most;
  if (most >= MIN_LOCALS && has_parse_point(function)) {
    m.builder = LLVMCreateBuilderInContext(ctx->llvm);
    find_locals_with_debug_records(&m, function);
    for (size_t k = 0; k < m.kinds.count; k++)
      if (m.kinds.at[k].locals.count >= MIN_LOCALS)
        merge_locals_of_kind(&m, function, &m.kinds.at[k]);
    LLVMDisposeBuilder(m.builder);
  }
  for (size_t k = 0; k < m.kinds.count; k++)
    cn_free(&m.kinds.at[k].locals);
  cn_free(&m.kinds);
  cn_ptrmap_free(&m.index);
  cn_ptrmap_free(&m.declared);
}
