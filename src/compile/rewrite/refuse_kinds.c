/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses opcodes, types, constants and attributes that are newer than LLVM 22 or that a target defines, because no
 * pass handles their effect on references. Part of rewrite-statepoints; each thread remembers how many of LLVM's
 * attributes are listed. Needs: any function. Provides: diagnostics. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/invalid_attributes.h"
#include "compile/effects/intrinsics.h"
#include "compile/rewrite/refuse.h"

static void check_type_is_known(struct cn_function_check *judge, LLVMValueRef i, LLVMTypeRef type)
{
  if (!cn_is_known_type(&judge->known, type))
    cn_refuse_at(judge, i, "unsupported-type", "it has a type that Cairn does not know, which may hold references");
}

static bool has_attribute_kind(const LLVMAttributeRef *attributes, unsigned count, unsigned kind)
{
  for (unsigned a = 0; a < count; a++)
    if (!LLVMIsStringAttribute(attributes[a]) && LLVMGetEnumAttributeKind(attributes[a]) == kind)
      return true;
  return false;
}

/* The kind of the first attribute in `attributes` that the lists of invalid_attributes.c lack; or 0. String attributes
 * are ignored. */
static unsigned find_unknown_attribute(const LLVMAttributeRef *attributes, unsigned count)
{
  unsigned last = LLVMGetLastEnumAttributeKind();

  for (unsigned kind = 1; kind <= last; kind++)
    if (has_attribute_kind(attributes, count, kind) && !cn_is_judged_attribute(kind))
      return kind;
  return 0;
}

/* True if invalid_attributes.c lists all attributes of LLVM; for LLVM 22 see test/unit/compile/effects.c. */
static bool has_known_attributes_only(void)
{
  static _Thread_local unsigned judged; /* the number of attributes from 1 on that are listed */
  unsigned last = LLVMGetLastEnumAttributeKind();

  while (judged < last && cn_is_judged_attribute(judged + 1))
    judged++;
  return judged + 1 >= last; /* LLVM's last attribute kind is only a mark of the end */
}

static void check_attributes_are_known(struct cn_function_check *judge, LLVMValueRef of, unsigned parameters)
{
  bool function = LLVMIsAFunction(of) != NULL;

  for (unsigned i = 0; i <= parameters + 1; i++) {
    LLVMAttributeIndex index = i > parameters ? CN_FUNCTION_INDEX : i;
    unsigned count = function ? LLVMGetAttributeCountAtIndex(of, index) : LLVMGetCallSiteAttributeCount(of, index);
    LLVMAttributeRef *attributes = cn_alloc((count + 1) * sizeof *attributes);
    if (function)
      LLVMGetAttributesAtIndex(of, index, attributes);
    else
      LLVMGetCallSiteAttributes(of, index, attributes);
    unsigned kind = find_unknown_attribute(attributes, count);
    if (kind)
      cn_error(judge->ctx, of, "unsupported-attribute",
               "no pass knows attribute %u of LLVM (this Cairn is for LLVM %d)", kind, CN_LLVM_TESTED_VERSION);
    free(attributes);
  }
}

static void check_constant_operands(struct cn_function_check *judge, LLVMValueRef i)
{
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
    if (!operand || !LLVMIsConstant(operand) || !cn_holds_ref(LLVMTypeOf(operand)))
      continue;
    check_type_is_known(judge, i, LLVMTypeOf(operand));
    if (!cn_is_known_constant(&judge->known, operand))
      cn_refuse_at(judge, i, "unsupported-constant", "a constant of a kind that no pass knows is used as a reference");
  }
}

void cn_refuse_instruction_kinds(struct cn_function_check *judge, LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  if (!cn_is_known_opcode(LLVMGetInstructionOpcode(instruction)))
    cn_refuse_at(judge, instruction, "unsupported-instruction",
                 "the effect of this instruction on references is unknown to Cairn");
  check_type_is_known(judge, instruction, LLVMTypeOf(instruction));
  if (LLVMIsAAllocaInst(instruction))
    check_type_is_known(judge, instruction, LLVMGetAllocatedType(instruction));
  check_constant_operands(judge, instruction);
  if (cn_is_call(instruction) && !has_known_attributes_only())
    check_attributes_are_known(judge, instruction, LLVMGetNumArgOperands(instruction));
}

void cn_refuse_signature_kinds(struct cn_function_check *judge)
{
  unsigned count = LLVMCountParams(judge->function);

  for (unsigned p = 0; p < count; p++)
    if (!cn_is_known_type(&judge->known, LLVMTypeOf(LLVMGetParam(judge->function, p))))
      cn_error(judge->ctx, judge->function, "unsupported-type",
               "parameter %u has a type that Cairn does not know, which may hold references", p + 1);
  if (!has_known_attributes_only())
    check_attributes_are_known(judge, judge->function, count);
}
