/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which calls are safepoints: classifies each call as leaf, parse point, musttail call or statepoint. Needs:
 * nothing. Provides: cn_classify_call(); queries of calls' attributes, bundles and names (calls.h). Breaks: nothing.
 *
 * A call is a parse point unless a listed reason makes it a leaf. An unnecessary parse point costs little, because
 * references stay in registers, but a wrong leaf loses roots.
 */
#include "compile/analysis/calls.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/effects/intrinsics.h"

bool cn_is_call(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    return true;
  default:
    return false;
  }
}

bool cn_calls_only_as_managed(LLVMValueRef user, LLVMValueRef function)
{
  if (!cn_is_call(user) || !cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
    return false;
  struct cn_call_target site = cn_call_target_of(user);
  if (cn_call_target_callee(&site) != function)
    return false;
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
    if (i != site.callee_operand && LLVMGetOperand(user, i) == function)
      return false;
  return true;
}

static bool site_has_attribute(LLVMValueRef call, const char *attribute)
{
  unsigned kind = cn_attribute_kind(attribute);

  return LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, kind) != NULL;
}

bool cn_calls_has_attribute(LLVMValueRef call, const char *attribute)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned kind = cn_attribute_kind(attribute);

  CN_ASSERT(cn_is_call(call));
  return site_has_attribute(call, attribute) ||
         (callee && LLVMGetEnumAttributeAtIndex(callee, CN_FUNCTION_INDEX, kind));
}

bool cn_calls_is_musttail(LLVMValueRef i)
{
  return LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail;
}

bool cn_calls_site_has_attributes(LLVMValueRef call, unsigned arguments)
{
  CN_ASSERT(cn_is_call(call));
  if (LLVMGetCallSiteAttributeCount(call, CN_FUNCTION_INDEX))
    return true;
  for (unsigned i = 0; i <= arguments; i++) /* index 0 is the result */
    if (LLVMGetCallSiteAttributeCount(call, i))
      return true;
  return false;
}

static bool has_string_attribute(LLVMValueRef call, const char *attribute)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned length = (unsigned)strlen(attribute);

  return LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, attribute, length) ||
         (callee && LLVMGetStringAttributeAtIndex(callee, CN_FUNCTION_INDEX, attribute, length));
}

bool cn_calls_keeps_objects_in_place(LLVMValueRef call)
{
  if (!cn_is_call(call) || LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    return false;
  bool statepoint = cn_classify_call(call).kind == CN_CALL_STATEPOINT;
  LLVMValueRef callee = statepoint ? LLVMGetOperand(call, 2) : cn_direct_callee(call);

  return callee && LLVMIsAFunction(callee) && cn_string_attribute(callee, CN_ATTR_STILL);
}

bool cn_calls_find_bundle(LLVMValueRef call, const char *tag, uint32_t *first, uint32_t *end)
{
  unsigned count = LLVMGetNumOperandBundles(call);
  bool found = false;

  CN_ASSERT(cn_is_call(call));
  *first = *end = 0;
  if (count == 0)
    return false;
  uint32_t at = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < count && !found; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    size_t length;
    const char *name = LLVMGetOperandBundleTag(bundle, &length);
    uint32_t operands = LLVMGetNumOperandBundleArgs(bundle);
    found = length == strlen(tag) && memcmp(name, tag, length) == 0;
    if (found) {
      *first = at;
      *end = at + operands;
    }
    at += operands;
    LLVMDisposeOperandBundle(bundle);
  }
  return found;
}

bool cn_calls_is_memory_copy(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.memcpy") || cn_calls_intrinsic(i, "llvm.memmove") ||
         cn_calls_intrinsic(i, "llvm.memcpy.inline");
}

LLVMValueRef cn_calls_find_metadata(LLVMValueRef call, const char *name)
{
  LLVMValueRef found = NULL;
  size_t count;

  if (!cn_is_call(call) || !LLVMHasMetadata(call))
    return NULL;
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(call));
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(call, &count);
  for (unsigned i = 0; i < count && !found; i++) {
    unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
    if (kind >= cn_fixed_metadata_kind_count() && kind == LLVMGetMDKindIDInContext(llvm, name, (unsigned)strlen(name)))
      found = LLVMMetadataAsValue(llvm, LLVMValueMetadataEntriesGetMetadata(entries, i));
  }
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

/* The argument of a leaf that an attribute marks: `mark`, or, if that is null, "returned". */
static LLVMValueRef find_marked_argument(LLVMValueRef call, const char *mark)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned arguments = LLVMGetNumArgOperands(call), length = mark ? (unsigned)strlen(mark) : 0,
           returned = cn_attribute_kind("returned");

  if (callee && LLVMGetIntrinsicID(callee))
    return NULL;
  for (unsigned a = 0; a < arguments; a++) {
    LLVMValueRef argument = LLVMGetOperand(call, a);
    if (!cn_is_ref(LLVMTypeOf(argument)))
      continue;
    bool marked = mark ? LLVMGetCallSiteStringAttribute(call, a + 1, mark, length) ||
                             (callee && LLVMGetStringAttributeAtIndex(callee, a + 1, mark, length))
                       : LLVMGetCallSiteEnumAttribute(call, a + 1, returned) ||
                             (callee && LLVMGetEnumAttributeAtIndex(callee, a + 1, returned));
    if (marked)
      return cn_classify_call(call).kind == CN_CALL_LEAF ? argument : NULL;
  }
  return NULL;
}

LLVMValueRef cn_calls_enclosing_argument(LLVMValueRef call)
{
  return find_marked_argument(call, "cairn-base");
}

LLVMValueRef cn_calls_base_argument(LLVMValueRef call)
{
  LLVMValueRef argument = cn_calls_enclosing_argument(call);

  return argument ? argument : find_marked_argument(call, NULL);
}

bool cn_calls_type_has_refs(LLVMTypeRef function_type)
{
  unsigned count = LLVMCountParamTypes(function_type);
  LLVMTypeRef *params = malloc((count + 1) * sizeof *params);
  bool found = cn_holds_ref(LLVMGetReturnType(function_type));

  CN_CHECK(params);
  LLVMGetParamTypes(function_type, params);
  for (unsigned i = 0; i < count && !found; i++)
    found = cn_holds_ref(params[i]);
  free(params);
  return found;
}

/* True if the call passes or returns references. The operands are checked too, because the function type lacks variadic
 * arguments. */
static bool call_has_refs(LLVMValueRef call)
{
  if (cn_calls_type_has_refs(LLVMGetCalledFunctionType(call)))
    return true;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(call, i))))
      return true;
  return false;
}

static struct cn_call_class classify_intrinsic(LLVMValueRef call, LLVMValueRef callee)
{
  if (cn_calls_intrinsic(call, "llvm.experimental.gc.statepoint"))
    return (struct cn_call_class){CN_CALL_STATEPOINT, "statepoint"};
  if (has_string_attribute(call, CN_ATTR_LEAF))
    return (struct cn_call_class){CN_CALL_LEAF, "attribute gc-leaf-function"};
  if (cn_intrinsic_runs_code(callee))
    return (struct cn_call_class){CN_CALL_PARSE_POINT, "intrinsic that runs other code"};
  /* An element-wise copy may contain safepoints, so that a collection can start during a long copy. */
  if (cn_intrinsic_has_effect(call, CN_EFFECT_COPY) && !cn_is_block_copy_or_fill(call) && call_has_refs(call))
    return (struct cn_call_class){CN_CALL_PARSE_POINT, "element-wise atomic copy of managed memory"};
  return (struct cn_call_class){CN_CALL_LEAF, "intrinsic expanded in line"};
}

/* LLVM 22 infers nocallback for declarations named and typed like functions of the C library, even with references
 * (`declare i64 @strlen(ptr addrspace(1))`). So the attribute of a declaration counts only if the call passes no
 * references. Front ends write "gc-leaf-function" instead; the prepare pass writes it for __attribute__((leaf)). */
static bool is_nocallback(LLVMValueRef call, LLVMValueRef callee)
{
  if (callee && cn_is_managed(callee) && !LLVMIsDeclaration(callee))
    return false;
  return site_has_attribute(call, "nocallback") || (cn_calls_has_attribute(call, "nocallback") && !call_has_refs(call));
}

/* Passes test the callee of each external call, so one comparison rejects most names. */
bool cn_calls_is_marker_name(const char *name)
{
  static const char prefix[] = "cairn."; /* common to all markers */

  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return false;
  return strcmp(name, CN_NOPOLL_BEGIN) == 0 || strcmp(name, CN_NOPOLL_END) == 0 || strcmp(name, CN_SPAN_BEGIN) == 0 ||
         strcmp(name, CN_SPAN_END) == 0 || strcmp(name, CN_USER_ROOT) == 0;
}

bool cn_calls_is_immediate_maker(const char *name)
{
  return strcmp(name, CN_TAG_FROM) == 0 || strcmp(name, CN_BOX_FROM) == 0;
}

bool cn_calls_is_immediate_test(const char *name)
{
  return strcmp(name, CN_TAG_IS) == 0 || strcmp(name, CN_BOX_IS) == 0;
}

bool cn_calls_is_tag_name(const char *name)
{
  return cn_calls_is_immediate_maker(name) || cn_calls_is_immediate_test(name) || strcmp(name, CN_TAG_VALUE) == 0 ||
         strcmp(name, CN_BOX_BITS) == 0;
}

bool cn_calls_is_query_name(const char *name)
{
  return strncmp(name, CN_QUERY_PREFIX_LAYOUT, sizeof CN_QUERY_PREFIX_LAYOUT - 1) == 0 ||
         strncmp(name, CN_QUERY_PREFIX_OBJECT, sizeof CN_QUERY_PREFIX_OBJECT - 1) == 0;
}

static struct cn_call_class classify_direct(LLVMValueRef call, LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  bool external = LLVMIsDeclaration(callee) || LLVMGetLinkage(callee) == LLVMAvailableExternallyLinkage;

  if (!external)
    return (struct cn_call_class){CN_CALL_PARSE_POINT,
                                  cn_is_managed(callee) ? "managed function" : "unmanaged function"};
  if (cn_calls_is_marker_name(name))
    return (struct cn_call_class){CN_CALL_LEAF, "a marker, which is deleted later"};
  if (cn_calls_is_tag_name(name))
    return (struct cn_call_class){CN_CALL_LEAF, "it makes or reads an immediate"};
  if (cn_calls_is_query_name(name))
    return (struct cn_call_class){CN_CALL_LEAF, "it reads an object's header"};
  const char *reason = cn_calls_leaf_reason(name);
  if (reason && !call_has_refs(call) && !cn_calls_type_has_refs(LLVMGlobalGetValueType(callee)))
    return (struct cn_call_class){CN_CALL_LEAF, reason};
  return (struct cn_call_class){CN_CALL_PARSE_POINT, "external function, may reach a safepoint"};
}

struct cn_call_class cn_classify_call(LLVMValueRef instruction)
{
  if (!cn_is_call(instruction))
    return (struct cn_call_class){CN_CALL_NONE, "no call"};
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
    return (struct cn_call_class){CN_CALL_LEAF, "inline assembly"};
  LLVMValueRef callee = cn_direct_callee(instruction);
  if (callee && LLVMGetIntrinsicID(callee))
    return classify_intrinsic(instruction, callee);
  if (cn_calls_is_musttail(instruction))
    return (struct cn_call_class){CN_CALL_MUSTTAIL, "musttail: the frame is gone"};
  if (has_string_attribute(instruction, CN_ATTR_LEAF))
    return (struct cn_call_class){CN_CALL_LEAF, "attribute gc-leaf-function"};
  if (is_nocallback(instruction, callee))
    return (struct cn_call_class){CN_CALL_LEAF, "attribute nocallback"};
  if (callee)
    return classify_direct(instruction, callee);
  return (struct cn_call_class){CN_CALL_PARSE_POINT, "indirect call"};
}

const char *cn_calls_describe(LLVMValueRef call, char *buffer, size_t size)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  char name[120];

  CN_ASSERT(cn_is_call(call));
  if (LLVMIsAInlineAsm(callee))
    snprintf(buffer, size, "inline assembly");
  else if (LLVMIsAGlobalValue(callee))
    snprintf(buffer, size, "call to %s", cn_value_name(callee, name, sizeof name));
  else
    snprintf(buffer, size, "indirect call");
  return buffer;
}

bool cn_calls_lists_operands(LLVMValueRef call)
{
  CN_ASSERT(cn_is_call(call));
  return LLVMGetCallSiteAttributeCount(call, CN_FUNCTION_INDEX) &&
         LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_LIVE_OPERANDS,
                                        (unsigned)strlen(CN_ATTR_LIVE_OPERANDS));
}

bool cn_calls_is_unknown_intrinsic(LLVMValueRef instruction)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return false;
  return cn_calls_some_intrinsic(instruction) && !cn_intrinsic_row_of_call(instruction) &&
         cn_classify_call(instruction).kind == CN_CALL_LEAF && cn_call_touches_references(instruction);
}

static bool calls_slow_path(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;

  if (!callee)
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  return cn_is_poll_stub(name) || cn_is_slow_allocation(name);
}

/* True if the function has statepoints, or the polls and slow paths of passes before the rewriter. The rewriter
 * processes all functions of a module or none of them. */
bool cn_calls_is_rewritten_function(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      if (kind == CN_CALL_STATEPOINT || (kind == CN_CALL_PARSE_POINT && calls_slow_path(i)))
        return true;
    }
  return false;
}
