/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the callee and the arguments of calls and statepoints, copies the attributes that stay true from a call to its
 * statepoint and gc.result, reads the directives that choose a statepoint's id, patch bytes and deopt lowering, and
 * tells whether a statepoint has too many operands. Needs: nothing. Provides: struct cn_call_target; the default id of
 * a statepoint; the cn_statepoint_* functions and cn_copy_result_attributes(). Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"

static LLVMTypeRef callee_type_of_statepoint(LLVMValueRef call)
{
  LLVMAttributeRef type = LLVMGetCallSiteEnumAttribute(call, 3, cn_attribute_kind("elementtype"));

  return type ? LLVMGetTypeAttributeValue(type) : NULL;
}

struct cn_call_target cn_call_target_of(LLVMValueRef call)
{
  if (cn_calls_intrinsic(call, "llvm.experimental.gc.statepoint"))
    return (struct cn_call_target){.call = call,
                                   .type = callee_type_of_statepoint(call),
                                   .callee_operand = 2,
                                   .first = CN_STATEPOINT_FIXED_ARGS,
                                   .count = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)),
                                   .is_statepoint = true};
  return (struct cn_call_target){.call = call,
                                 .type = LLVMGetCalledFunctionType(call),
                                 .callee_operand = (unsigned)LLVMGetNumOperands(call) - 1,
                                 .count = LLVMGetNumArgOperands(call)};
}

static bool is_attribute_in(LLVMAttributeRef attribute, const char *const *names, size_t count)
{
  if (LLVMIsStringAttribute(attribute))
    return false;
  for (size_t i = 0; i < count; i++)
    if (LLVMGetEnumAttributeKind(attribute) == cn_attribute_kind(names[i]))
      return true;
  return false;
}

static bool is_kept_cairn_attribute(LLVMAttributeRef attribute)
{
  static const char *const kept[] = {CN_ATTR_LIVE_OPERANDS, CN_ATTR_MANAGED_CALLEE, CN_ATTR_FRESH};
  unsigned length;
  const char *name = LLVMGetStringAttributeKind(attribute, &length);

  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (length == strlen(kept[i]) && memcmp(name, kept[i], length) == 0)
      return true;
  return false;
}

/* True if an attribute of a call also holds for the call's statepoint. The loss of any other attribute costs only
 * speed. */
static bool keeps_call_attribute(LLVMAttributeRef attribute)
{
  static const char *const kept[] = {"cold",     "hot",      "nounwind",     "noreturn",   "nomerge",     "convergent",
                                     "noinline", "strictfp", "mustprogress", "willreturn", "noduplicate", "nocf_check"};

  if (LLVMIsStringAttribute(attribute))
    return is_kept_cairn_attribute(attribute);
  return is_attribute_in(attribute, kept, sizeof kept / sizeof *kept);
}

/* True if the attribute describes only the value, rather than the memory behind a pointer. */
static bool keeps_result_attribute(LLVMAttributeRef attribute)
{
  static const char *const kept[] = {"zeroext", "signext", "noext", "noundef",  "nonnull",
                                     "inreg",   "align",   "range", "nofpclass"};

  return is_attribute_in(attribute, kept, sizeof kept / sizeof *kept);
}

/* True if the attribute describes how an argument is passed, or its value. Attributes about the memory behind a pointer
 * are dropped, because a statepoint may also collect, and a collection writes to described locals. "returned" is
 * dropped because the statepoint returns a token. */
static bool keeps_argument_attribute(LLVMAttributeRef attribute)
{
  static const char *const kept[] = {"zeroext", "signext", "noext",   "inreg",     "byval",      "sret",
                                     "byref",   "nest",    "noundef", "swiftself", "swiftasync", "alignstack",
                                     "nonnull", "align",   "range",   "nofpclass", "swifterror"};

  return LLVMIsStringAttribute(attribute) || is_attribute_in(attribute, kept, sizeof kept / sizeof *kept);
}

void cn_statepoint_copy_attributes(LLVMValueRef call, LLVMValueRef statepoint)
{
  unsigned arguments = LLVMGetNumArgOperands(call);

  CN_ASSERT(LLVMIsAInstruction(call));
  CN_ASSERT(LLVMIsAInstruction(statepoint));
  cn_emit_copy_attributes(call, CN_FUNCTION_INDEX, statepoint, CN_FUNCTION_INDEX, keeps_call_attribute);
  for (unsigned i = 0; i < arguments; i++)
    cn_emit_copy_attributes(call, i + 1, statepoint, CN_STATEPOINT_FIXED_ARGS + i + 1, keeps_argument_attribute);
}

void cn_copy_result_attributes(LLVMValueRef call, LLVMValueRef result)
{
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(result));

  CN_ASSERT(LLVMIsAInstruction(call));
  cn_emit_copy_attributes(call, 0, result, 0, keeps_result_attribute);
  if (cn_is_immovable(call)) /* the attribute may be on the callee, which gc.result lacks */
    LLVMAddCallSiteAttribute(
        result, 0, LLVMCreateStringAttribute(llvm, CN_ATTR_IMMOVABLE, (unsigned)strlen(CN_ATTR_IMMOVABLE), "", 0));
}

uint64_t cn_statepoint_default_id(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = cn_direct_callee(call);
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  CN_ASSERT(LLVMIsAInstruction(call));
  if (cn_is_poll_stub(name))
    return CAIRN_ABI_STATEPOINT_ID_POLL;
  if (cn_is_slow_allocation(name))
    return CAIRN_ABI_STATEPOINT_ID_ALLOC;
  return CAIRN_ABI_STATEPOINT_ID_DEFAULT;
}

/* The value of attribute `name` of the call site, or else of its callee; null if both lack it. */
static const char *directive_of_call(LLVMValueRef call, const char *name, unsigned *length)
{
  unsigned size = (unsigned)strlen(name);
  LLVMValueRef callee = cn_direct_callee(call);
  LLVMAttributeRef attribute = LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, name, size);

  if (!attribute && callee && LLVMGetAttributeCountAtIndex(callee, CN_FUNCTION_INDEX))
    attribute = LLVMGetStringAttributeAtIndex(callee, CN_FUNCTION_INDEX, name, size);
  return attribute ? LLVMGetStringAttributeValue(attribute, length) : NULL;
}

bool cn_statepoint_parse_directive(LLVMValueRef call, const char *name, uint64_t limit, uint64_t *value)
{
  unsigned length;
  char digits[32], *end;
  const char *text = directive_of_call(call, name, &length);

  CN_ASSERT(LLVMIsAInstruction(call));
  if (!text)
    return true;
  if (length == 0 || length >= sizeof digits || text[0] < '0' || text[0] > '9')
    return false;
  memcpy(digits, text, length);
  digits[length] = 0;
  unsigned long long number = strtoull(digits, &end, 10);
  *value = number;
  bool overflows = number == UINT64_MAX && strcmp(digits, "18446744073709551615") != 0;
  return *end == 0 && number <= limit && !overflows;
}

bool cn_statepoint_deopt_lowering(LLVMValueRef call, bool *live_in)
{
  static const char in[] = "live-in", through[] = "live-through";
  unsigned length;
  const char *text = directive_of_call(call, "deopt-lowering", &length);

  CN_ASSERT(LLVMIsAInstruction(call));
  *live_in = text && length == sizeof in - 1 && memcmp(text, in, length) == 0;
  return !text || *live_in || (length == sizeof through - 1 && memcmp(text, through, length) == 0);
}

bool cn_statepoint_has_directive(LLVMValueRef call)
{
  static const char *const names[] = {"statepoint-id", "statepoint-num-patch-bytes", "deopt-lowering"};
  unsigned length;

  CN_ASSERT(LLVMIsAInstruction(call));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (directive_of_call(call, names[i], &length))
      return true;
  return false;
}

const char cn_statepoint_too_long_reason[] =
    "LLVM's instruction selection has no room for so many operands of one statepoint";

/* Instruction selection counts the operands of a node in 16 bits. A deopt value takes two operands, and a reference
 * takes four with its pair of indices. */
bool cn_statepoint_is_too_long(uint64_t deopt, uint64_t live, uint64_t others)
{
  enum { MAX_NODE_OPERANDS = UINT16_MAX - 64 }; /* LLVM adds counts, registers, chain */

  CN_ASSERT(deopt <= UINT32_MAX && live <= UINT32_MAX && others <= UINT32_MAX);
  return 2 * deopt + 4 * live + others > MAX_NODE_OPERANDS;
}
