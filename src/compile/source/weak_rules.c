/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses weak references outside the fields of managed objects: roots are strong. Debug information shows the members
 * and variables that C declares weak; this file refuses weak variables. Part of pass `rules`. Needs: debug information.
 * Provides: diagnostic weak-variable. Breaks: nothing.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "compile/core/each.h"
#include "compile/allocation/type_metadata.h"
#include "compile/source/debug_types.h"
#include "compile/source/rules.h"

/* The number of the operand with annotations in the debug information of a global, and of a local. */
enum { GLOBAL_ANNOTATIONS_OPERAND = 8, LOCAL_ANNOTATIONS_OPERAND = 4 };

static bool has_weak_field(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  if (type && cn_debug_type_has_tag(ctx, type, "cairn-weak"))
    return true;
  LLVMMetadataRef plain = type ? cn_debug_strip_typedefs(ctx, type) : NULL;
  unsigned tag = cn_debug_is_type(plain) ? LLVMGetDINodeTag(plain) : 0;

  if (tag == CN_DW_TAG_ARRAY)
    return has_weak_field(ctx, cn_debug_operand(ctx, plain, CN_DEBUG_BASE_OPERAND));
  if (tag != CN_DW_TAG_STRUCTURE && tag != CN_DW_TAG_UNION)
    return false;
  LLVMMetadataRef members = cn_debug_operand(ctx, plain, CN_DEBUG_ELEMENTS_OPERAND);
  for (unsigned i = 0; i < cn_debug_operand_count(ctx, members); i++) {
    LLVMMetadataRef member = cn_debug_operand(ctx, members, i);
    if (!cn_debug_is_type(member) || LLVMGetDINodeTag(member) != CN_DW_TAG_MEMBER)
      continue;
    if (cn_debug_has_tag(ctx, member, CN_DEBUG_ANNOTATIONS_OPERAND, "cairn-weak") ||
        has_weak_field(ctx, cn_debug_operand(ctx, member, CN_DEBUG_BASE_OPERAND)))
      return true;
  }
  return false;
}

static bool is_weak_variable(struct cn_ctx *ctx, LLVMMetadataRef variable, unsigned annotations)
{
  return cn_debug_has_tag(ctx, variable, annotations, "cairn-weak") ||
         has_weak_field(ctx, cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND));
}

static void refuse_weak_variable(struct cn_ctx *ctx, LLVMValueRef at, LLVMMetadataRef variable, const char *what)
{
  LLVMMetadataRef name = cn_debug_operand(ctx, variable, CN_DEBUG_NAME_OPERAND);
  unsigned length = 0;
  const char *text = name ? LLVMGetMDString(LLVMMetadataAsValue(ctx->llvm, name), &length) : "a variable";

  cn_error(ctx, at, "weak-variable",
           "%s '%.*s' has a weak reference, but variables are roots and keep their objects alive: put the "
           "reference into an object",
           what, name ? (int)length : (int)strlen(text), text);
}

static void check_weak_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
        if (LLVMDbgRecordGetKind(r) != LLVMDbgRecordDeclare)
          continue;
        LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(r);
        LLVMValueRef place = LLVMDbgVariableRecordGetValue(r, 0);
        if (variable && is_weak_variable(ctx, variable, LOCAL_ANNOTATIONS_OPERAND))
          refuse_weak_variable(ctx, place && LLVMIsAInstruction(place) ? place : i, variable, "local");
      }
}

void cn_rules_check_weak_variables(struct cn_ctx *ctx)
{
  CN_EACH_GLOBAL(g, ctx->module) {
    LLVMMetadataRef variable = cn_debug_variable(ctx, g);
    bool layout = cn_type_metadata_exists(ctx, g) && !cn_is_ref(LLVMTypeOf(g)); /* a static of cairn_new() */
    if (variable && !layout && is_weak_variable(ctx, variable, GLOBAL_ANNOTATIONS_OPERAND))
      refuse_weak_variable(ctx, g, variable, "global");
  }
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f))
      check_weak_locals(ctx, f);
}
