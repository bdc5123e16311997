/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes and metadata that a moving collector makes false. Memory that a function does not
 * touch itself may be moved by a safepoint in it: memory(...), nosync, nofree. A reference does
 * not stay dereferenceable, unaliased or unchanged over a safepoint. Only on managed functions,
 * their call sites and their memory accesses: what is native keeps what it knows (LLVM's own
 * pass strips the whole module).
 *
 * Needs: nothing. Provides: a function without such promises. Breaks: nothing.
 */
#include <string.h>
#include "base/vector.h"
#include "compile/areas.h"
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/rewrite.h"
#include "compile/tags.h"

/* Of LLVM 22's promises, those on functions:
 *   memory, nosync, nofree       a safepoint in it reads and writes the whole heap and the frames
 *   speculatable                 nothing with a safepoint may be done where it was not asked for
 *   optnone                      the code generator would not spill references (docs/llvm-22.md)
 * Kept: nounwind, willreturn, mustprogress, norecurse, noreturn, cold ... (a collection returns and
 * calls nothing of the program); allocsize, allockind (of the result at the time of the call). */
static const char *const function_attributes[] = {"memory", "nosync", "nofree", "speculatable",
                                                  "optnone"};

/* On references, as parameters, arguments and results:
 *   dereferenceable(_or_null), nofree, writable, dead_on_return   the memory is left for another
 *   noalias                      the collector reads and writes it, too
 *   readonly, readnone, writeonly, initializes, dead_on_unwind    so is what the callee does to it
 *   returned                     what is returned is where the object lies after, not before
 * Kept, for they speak of the value: nonnull, noundef, align, captures, swiftself, inreg ... */
static const char *const reference_attributes[] = {
    "noalias",  "dereferenceable", "dereferenceable_or_null", "nofree",         "readonly",
    "readnone", "writeonly",       "initializes",             "writable",       "dead_on_return",
    "returned", "dead_on_unwind"};

/* On other pointers given to a call that may collect garbage: they may lead to a local of ours,
 * whose references the collector reads and changes during the call. */
static const char *const pointer_attributes[] = {"noalias",   "readonly",    "readnone",
                                                 "writeonly", "initializes", "dead_on_unwind"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int pointer_operand(LLVMValueRef access)
{
  return LLVMIsAStoreInst(access) ? 1 : 0;
}

static bool is_plain_pointer(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind && !cn_is_ref(type);
}

/* Does `i` read or write references where no reference leads, or copy what may be some? */
static bool accesses_frame(LLVMValueRef i)
{
  bool plain = false, refs = cn_holds_ref(LLVMTypeOf(i));

  if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i) && !LLVMIsAAtomicCmpXchgInst(i) &&
      !LLVMIsAAtomicRMWInst(i) && !LLVMIsACallInst(i))
    return false;
  if (LLVMIsACallInst(i)) {
    LLVMValueRef callee = cn_direct_callee(i);
    if (!callee || !LLVMGetIntrinsicID(callee) || cn_calls_intrinsic(i, "llvm.invariant.end"))
      return false;
    refs |= cn_areas_is_copy(i);
  }
  int count = LLVMIsACallInst(i) ? (int)LLVMGetNumArgOperands(i) : LLVMGetNumOperands(i);
  for (int o = 0; o < count; o++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, (unsigned)o));
    plain |= is_plain_pointer(type);
    refs |= cn_holds_ref(type) && (LLVMIsACallInst(i) || o != pointer_operand(i));
  }
  return plain && refs;
}

/* A reference is loaded or stored where no reference leads: in a frame, maybe a caller's. */
static bool accesses_frames(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (accesses_frame(i))
        return true;
  return false;
}

/* A collection changes the references in frames: no call can be moved over accesses to them,
 * however little the callee knows of the pointer. */
static void strip_frame_pointers(LLVMValueRef function)
{
  unsigned parameters = LLVMCountParams(function), noalias = cn_attribute_kind("noalias");
  bool promised = false;

  for (unsigned p = 1; p <= parameters && !promised; p++)
    promised = LLVMGetEnumAttributeAtIndex(function, p, noalias) != NULL;
  if (!promised || !accesses_frames(function))
    return;
  for (unsigned p = 0; p < parameters; p++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, p))) == LLVMPointerTypeKind)
      LLVMRemoveEnumAttributeAtIndex(function, p + 1, noalias);
}

/* Most have no attribute at all. */
static void strip_function_index(LLVMValueRef function, LLVMAttributeIndex index)
{
  if (LLVMGetAttributeCountAtIndex(function, index) == 0)
    return;
  for (size_t i = 0; i < COUNT(reference_attributes); i++)
    LLVMRemoveEnumAttributeAtIndex(function, index, cn_attribute_kind(reference_attributes[i]));
}

static void strip_signature(LLVMValueRef function)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);

  strip_frame_pointers(function);
  for (size_t i = 0; i < COUNT(function_attributes); i++)
    LLVMRemoveEnumAttributeAtIndex(function, CN_FUNCTION_INDEX,
                                   cn_attribute_kind(function_attributes[i]));
  if (cn_holds_ref(LLVMGetReturnType(type)))
    strip_function_index(function, LLVMAttributeReturnIndex);
  unsigned parameters = LLVMCountParams(function);
  for (unsigned p = 0; p < parameters; p++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetParam(function, p))))
      strip_function_index(function, p + 1);
}

static void strip_call_index(LLVMValueRef call, LLVMAttributeIndex index,
                             const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++)
    LLVMRemoveCallSiteEnumAttribute(call, index, cn_attribute_kind(names[i]));
}

/* A leaf keeps the promises about its own memory: nothing moves during it. */
static void strip_call(LLVMValueRef call)
{
  unsigned arguments = LLVMGetNumArgOperands(call);

  if (!cn_calls_have_attributes(call, arguments) || cn_classify_call(call).kind == CN_CALL_LEAF)
    return;
  strip_call_index(call, CN_FUNCTION_INDEX, function_attributes, COUNT(function_attributes));
  if (cn_holds_ref(LLVMTypeOf(call)))
    strip_call_index(call, LLVMAttributeReturnIndex, reference_attributes,
                     COUNT(reference_attributes));
  for (unsigned a = 0; a < arguments; a++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
    if (cn_holds_ref(type))
      strip_call_index(call, a + 1, reference_attributes, COUNT(reference_attributes));
    else if (is_plain_pointer(type))
      strip_call_index(call, a + 1, pointer_attributes, COUNT(pointer_attributes));
  }
}

struct kinds {
  bool known; /* looked up when something has metadata */
  unsigned invariant_load, invariant_group, dereferenceable, dereferenceable_or_null;
  unsigned noalias, alias_scope, tbaa;
};

static unsigned metadata_kind(struct cn_ctx *ctx, const char *name)
{
  return LLVMGetMDKindIDInContext(ctx->llvm, name, (unsigned)strlen(name));
}

static void look_up(struct cn_ctx *ctx, struct kinds *kinds)
{
  if (kinds->known)
    return;
  *kinds = (struct kinds){.known = true,
                          .invariant_load = metadata_kind(ctx, "invariant.load"),
                          .invariant_group = metadata_kind(ctx, "invariant.group"),
                          .dereferenceable = metadata_kind(ctx, "dereferenceable"),
                          .dereferenceable_or_null = metadata_kind(ctx, "dereferenceable_or_null"),
                          .noalias = metadata_kind(ctx, "noalias"),
                          .alias_scope = metadata_kind(ctx, "alias.scope"),
                          .tbaa = metadata_kind(ctx, "tbaa")};
}

/* Is memory accessed through a reference, or is it a reference that lies there? */
static bool touches_references(LLVMValueRef access)
{
  if (cn_holds_ref(LLVMTypeOf(access)))
    return true;
  for (int o = 0; o < LLVMGetNumOperands(access); o++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(access, (unsigned)o))))
      return true;
  return false;
}

/* What is loaded or stored through a reference moves away; a reference that lies in a local or a
 * global is changed there. Kept: nonnull, align, noundef, range, which speak of the value, and
 * nontemporal, access groups, tbaa as far as it says nothing but the type. */
static void strip_access(struct cn_ctx *ctx, LLVMValueRef access, struct kinds *kinds)
{
  if (!LLVMHasMetadata(access) || !touches_references(access))
    return;
  look_up(ctx, kinds);
  const unsigned drop[] = {kinds->invariant_load,  kinds->invariant_group,
                           kinds->noalias,         kinds->alias_scope,
                           kinds->dereferenceable, kinds->dereferenceable_or_null};
  for (size_t i = 0; i < COUNT(drop); i++)
    LLVMSetMetadata(access, drop[i], NULL);
  if (cn_tags_immutable(LLVMGetMetadata(access, kinds->tbaa)))
    LLVMSetMetadata(access, kinds->tbaa, NULL);
}

/* invariant.start says that memory does not change: which a safepoint moves away, or in which it
 * changes references. Of other globals it may be true. */
static bool is_invariant_start(LLVMValueRef i)
{
  if (!cn_calls_intrinsic(i, "llvm.invariant.start"))
    return false;
  LLVMValueRef memory = LLVMGetArgOperand(i, 1);
  return !LLVMIsAGlobalVariable(memory) || cn_holds_ref(LLVMGlobalGetValueType(memory)) ||
         cn_is_ref(LLVMTypeOf(memory));
}

/* Returns the instruction after it; its uses, invariant.end, may be next to it. */
static LLVMValueRef delete_invariant(LLVMValueRef start)
{
  CN_VECTOR(LLVMValueRef) ends = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(start); use; use = LLVMGetNextUse(use))
    if (cn_calls_intrinsic(LLVMGetUser(use), "llvm.invariant.end"))
      cn_push(&ends, LLVMGetUser(use));
  for (size_t e = 0; e < ends.count; e++)
    LLVMInstructionEraseFromParent(ends.at[e]);
  cn_free(&ends);
  LLVMReplaceAllUsesWith(start, LLVMConstNull(LLVMTypeOf(start)));
  LLVMValueRef next = LLVMGetNextInstruction(start);
  LLVMInstructionEraseFromParent(start);
  return next;
}

static LLVMValueRef strip_instruction(struct cn_ctx *ctx, LLVMValueRef i, struct kinds *kinds)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad: case LLVMStore: case LLVMAtomicCmpXchg: case LLVMAtomicRMW:
    strip_access(ctx, i, kinds);
    break;
  case LLVMCall: case LLVMInvoke: case LLVMCallBr:
    if (is_invariant_start(i))
      return delete_invariant(i);
    strip_call(i);
    strip_access(ctx, i, kinds);
    break;
  default:
    break;
  }
  return LLVMGetNextInstruction(i);
}

void cn_strip_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct kinds kinds = {.known = false};

  strip_signature(function);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;)
      i = strip_instruction(ctx, i, &kinds);
}
