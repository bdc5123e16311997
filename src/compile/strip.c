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
#include "compile/calls.h"
#include "compile/names.h"
#include "compile/rewrite.h"

static const char *const function_attributes[] = {"memory", "nosync", "nofree"};
static const char *const reference_attributes[] = {"noalias",  "dereferenceable",
                                                   "dereferenceable_or_null",
                                                   "nofree",   "readonly",        "readnone",
                                                   "writeonly", "initializes"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A reference is loaded or stored where no reference leads: in a frame, maybe a caller's. */
static bool accesses_frames(LLVMValueRef function)
{
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      bool store = LLVMIsAStoreInst(i), load = LLVMIsALoadInst(i);
      if (!store && !load)
        continue;
      LLVMValueRef pointer = LLVMGetOperand(i, store ? 1 : 0);
      LLVMValueRef value = store ? LLVMGetOperand(i, 0) : i;
      if (cn_holds_ref(LLVMTypeOf(value)) && !cn_is_ref(LLVMTypeOf(pointer)))
        return true;
    }
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
  for (unsigned a = 0; a < arguments; a++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(call, a))))
      strip_call_index(call, a + 1, reference_attributes, COUNT(reference_attributes));
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

/* A TBAA tag whose fourth operand says that the memory never changes. */
static bool is_immutable(LLVMValueRef tag)
{
  LLVMValueRef operands[4];

  if (!tag || LLVMGetMDNodeNumOperands(tag) != 4)
    return false;
  LLVMGetMDNodeOperands(tag, operands);
  return operands[3] && LLVMIsAConstantInt(operands[3]) &&
         LLVMConstIntGetZExtValue(operands[3]) & 1;
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

/* What is loaded or stored through a reference, or is one. */
static void strip_access(struct cn_ctx *ctx, LLVMValueRef access, struct kinds *kinds)
{
  unsigned pointer = LLVMIsAStoreInst(access) ? 1 : 0;

  if (!LLVMHasMetadata(access))
    return;
  look_up(ctx, kinds);
  const unsigned drop[] = {kinds->invariant_load, kinds->invariant_group, kinds->noalias,
                           kinds->alias_scope};
  if (cn_is_ref(LLVMTypeOf(LLVMGetOperand(access, pointer)))) {
    for (size_t i = 0; i < COUNT(drop); i++)
      LLVMSetMetadata(access, drop[i], NULL);
    if (is_immutable(LLVMGetMetadata(access, kinds->tbaa)))
      LLVMSetMetadata(access, kinds->tbaa, NULL);
  }
  if (cn_holds_ref(LLVMTypeOf(access))) {
    LLVMSetMetadata(access, kinds->dereferenceable, NULL);
    LLVMSetMetadata(access, kinds->dereferenceable_or_null, NULL);
  }
}

/* invariant.start on a reference says that memory does not change that a safepoint moves away. */
static bool is_invariant_start(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.invariant.start") &&
         cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(i, 1)));
}

/* Returns the instruction after it; its uses, invariant.end, may be next to it. */
static LLVMValueRef delete_invariant(LLVMValueRef start)
{
  for (LLVMUseRef use; (use = LLVMGetFirstUse(start));)
    LLVMInstructionEraseFromParent(LLVMGetUser(use));
  LLVMValueRef next = LLVMGetNextInstruction(start);
  LLVMInstructionEraseFromParent(start);
  return next;
}

static LLVMValueRef strip_instruction(struct cn_ctx *ctx, LLVMValueRef i, struct kinds *kinds)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMStore:
    strip_access(ctx, i, kinds);
    break;
  case LLVMCall:
  case LLVMInvoke:
    if (is_invariant_start(i))
      return delete_invariant(i);
    strip_call(i);
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
