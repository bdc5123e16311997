/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes invalid attributes and metadata, which a moving collector makes false. Part of rewrite-statepoints. A
 * safepoint in a function may move memory that the function itself does not access, so memory(...), nosync and nofree
 * are false. A reference stays dereferenceable, unaliased and unchanged only up to the next safepoint.
 * invalid_attributes.c has the table of attributes. Metadata of newer kinds than LLVM 22's goes too, as do false
 * markers llvm.invariant.start. The pass changes only managed functions, their call sites and memory accesses,
 * declarations with references, and globals that hold references; native code keeps its attributes (LLVM's own pass
 * strips the whole module).
 *
 * Needs: any function. Provides: a function free of invalid attributes. Breaks: nothing.
 */
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/invalid_attributes.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/values/refs.h"

static int pointer_operand(LLVMValueRef access)
{
  return LLVMIsAStoreInst(access) ? 1 : 0;
}

static bool is_plain_pointer(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind && !cn_is_ref(type);
}

/* True if `i` reads or writes references through a plain pointer, or copies memory that may hold references. */
static bool may_access_frame_reference(LLVMValueRef i)
{
  bool plain = false, refs = cn_holds_ref(LLVMTypeOf(i));

  if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAAtomicRMWInst(i) &&
      !LLVMIsACallInst(i))
    return false;
  if (LLVMIsACallInst(i)) {
    LLVMValueRef callee = cn_direct_callee(i);
    if (!callee || !LLVMGetIntrinsicID(callee) || cn_calls_intrinsic(i, "llvm.invariant.end"))
      return false;
    refs |= cn_alloca_uses_is_copy(i);
  }
  int count = LLVMIsACallInst(i) ? (int)LLVMGetNumArgOperands(i) : LLVMGetNumOperands(i);
  for (int o = 0; o < count; o++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, (unsigned)o));
    plain |= is_plain_pointer(type);
    refs |= cn_holds_ref(type) && (LLVMIsACallInst(i) || o != pointer_operand(i));
  }
  return plain && refs;
}

/* True if the function accesses references through plain pointers, which point into a frame, possibly a caller's. */
static bool has_frame_reference_accesses(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (may_access_frame_reference(i))
        return true;
  return false;
}

/* Remove `noalias` from pointer parameters if the function accesses references in frames. A collection changes such
 * references, so LLVM must not move the accesses over calls, even if the callee never gets the pointer. */
static void strip_noalias_of_frame_pointers(LLVMValueRef function)
{
  unsigned parameters = LLVMCountParams(function), noalias = cn_attribute_kind("noalias");
  bool promised = false;

  for (unsigned p = 1; p <= parameters && !promised; p++)
    promised = LLVMGetEnumAttributeAtIndex(function, p, noalias) != NULL;
  if (!promised || !has_frame_reference_accesses(function))
    return;
  for (unsigned p = 0; p < parameters; p++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, p))) == LLVMPointerTypeKind)
      LLVMRemoveEnumAttributeAtIndex(function, p + 1, noalias);
}

static void strip_attributes_at(LLVMValueRef of, LLVMAttributeIndex index, unsigned place)
{
  bool function = LLVMIsAFunction(of) != NULL;

  CN_ASSERT(function || cn_is_call(of));
  if (function && LLVMGetAttributeCountAtIndex(of, index) == 0)
    return;
  for (unsigned p = 0; p < cn_invalid_attribute_count; p++) {
    unsigned kind = cn_invalid_attributes[p].at & place ? cn_attribute_kind(cn_invalid_attributes[p].name) : 0;
    if (kind && function)
      LLVMRemoveEnumAttributeAtIndex(of, index, kind);
    else if (kind)
      LLVMRemoveCallSiteEnumAttribute(of, index, kind);
  }
}

static void strip_signature(LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);

  strip_noalias_of_frame_pointers(function);
  strip_attributes_at(function, CN_FUNCTION_INDEX, CN_AT_MANAGED_FUNCTION);
  if (cn_holds_ref(LLVMGetReturnType(type)))
    strip_attributes_at(function, LLVMAttributeReturnIndex, CN_AT_REFERENCE);
  unsigned parameters = LLVMCountParams(function);
  for (unsigned p = 0; p < parameters; p++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetParam(function, p))))
      strip_attributes_at(function, p + 1, CN_AT_REFERENCE);
}

/* Strip a call. A call of a leaf keeps the attributes about memory, because objects stay in place during the call. */
static void strip_call(LLVMValueRef call)
{
  unsigned arguments = LLVMGetNumArgOperands(call);

  if (!cn_calls_site_has_attributes(call, arguments) || cn_classify_call(call).kind == CN_CALL_LEAF)
    return;
  strip_attributes_at(call, CN_FUNCTION_INDEX, CN_AT_COLLECTING_CALL);
  if (cn_holds_ref(LLVMTypeOf(call)))
    strip_attributes_at(call, LLVMAttributeReturnIndex, CN_AT_REFERENCE);
  for (unsigned a = 0; a < arguments; a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (cn_holds_ref(type))
      strip_attributes_at(call, a + 1, CN_AT_REFERENCE);
    else if (is_plain_pointer(type))
      strip_attributes_at(call, a + 1, CN_AT_UNMANAGED_POINTER);
  }
}

/* Drop metadata of kinds that are newer than LLVM 22: such metadata may be invalid, and LLVM allows passes to drop
 * metadata. */
static void strip_unknown_metadata(LLVMValueRef access, uint64_t kinds)
{
  for (unsigned kind = 0; kinds; kind++, kinds >>= 1)
    if ((kinds & 1) && LLVMGetMetadata(access, kind))
      LLVMSetMetadata(access, kind, NULL);
}

/* Strip a memory access: memory of the heap moves, and a collection changes references in locals and globals in
 * place. */
static void strip_access(struct cn_ctx *ctx, LLVMValueRef access)
{
  if (!LLVMHasMetadata(access) || !cn_access_touches_references(access))
    return;
  for (unsigned p = 0; p < cn_invalid_attribute_count; p++)
    if ((cn_invalid_attributes[p].at & CN_AT_ACCESS_METADATA) &&
        cn_access_has_invalid_attribute(ctx, access, &cn_invalid_attributes[p]))
      LLVMSetMetadata(access, cn_metadata_kind(ctx, cn_invalid_attributes[p].name), NULL);
  strip_unknown_metadata(access, cn_unjudged_metadata_kinds(ctx->llvm));
}

/* True for an invariant.start that may be false: it says that memory stays unchanged, but a safepoint may move the
 * memory or change references in it. For globals without references it may be true. */
static bool is_false_invariant_start(LLVMValueRef i)
{
  if (!cn_calls_intrinsic(i, "llvm.invariant.start"))
    return false;
  LLVMValueRef memory = LLVMGetArgOperand(i, 1);
  return !LLVMIsAGlobalVariable(memory) || cn_holds_ref(LLVMGlobalGetValueType(memory)) ||
         cn_is_ref(LLVMTypeOf(memory));
}

/* Delete `start` and its invariant.ends. Returns the next remaining instruction, since an invariant.end may follow
 * `start` directly. */
static LLVMValueRef delete_invariant_markers(LLVMValueRef start)
{
  CN_VECTOR(LLVMValueRef) ends = {0};

  CN_EACH_USE(use, start)
    if (cn_calls_intrinsic(LLVMGetUser(use), "llvm.invariant.end"))
      cn_push(&ends, LLVMGetUser(use));
  for (size_t e = 0; e < ends.count; e++)
    LLVMInstructionEraseFromParent(ends.at[e]);
  cn_free(&ends);
  CN_ASSERT(is_false_invariant_start(start));
  LLVMReplaceAllUsesWith(start, LLVMConstNull(LLVMTypeOf(start)));
  LLVMValueRef next = LLVMGetNextInstruction(start);
  LLVMInstructionEraseFromParent(start);
  return next;
}

static LLVMValueRef strip_instruction(struct cn_ctx *ctx, LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
    strip_access(ctx, i);
    break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    if (is_false_invariant_start(i))
      return delete_invariant_markers(i);
    strip_call(i);
    strip_access(ctx, i);
    break;
  default:
    break;
  }
  return LLVMGetNextInstruction(i);
}

void cn_strip_attributes_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  strip_signature(function);
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;)
      i = strip_instruction(ctx, i);
}

void cn_strip_attributes_declarations(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f) && cn_calls_type_has_refs(LLVMGlobalGetValueType(f)))
      strip_attributes_at(f, CN_FUNCTION_INDEX, CN_AT_LEAF_DECLARATION);
  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_is_constant_root(g))
      LLVMSetGlobalConstant(g, false);
}
