/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies blocks within their function, and whole functions.
 *
 * Needs: blocks in LCSSA form: after the blocks, only phis use their values; a function that cn_can_clone_function()
 * accepts. Provides: struct cn_clone, a map from blocks and values to their copies; the copies. Breaks: struct cn_cfg,
 * struct cn_loops.
 *
 * Copied blocks have the debug records of variables, except records of several values. A copied function has another
 * subprogram, with the lines and variables, also of code that was put in line.
 */
#include "compile/core/emit.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

LLVMValueRef cn_clone_of(const struct cn_clone *clone, LLVMValueRef value)
{
  uint64_t *copy = cn_ptrmap_find(&clone->copies, value);

  return copy ? (LLVMValueRef)(uintptr_t)*copy : value;
}

LLVMBasicBlockRef cn_clone_of_block(const struct cn_clone *clone, LLVMBasicBlockRef block)
{
  return LLVMValueAsBasicBlock(cn_clone_of(clone, LLVMBasicBlockAsValue(block)));
}

void cn_clone_set_copy(struct cn_clone *clone, LLVMValueRef value, LLVMValueRef copy)
{
  CN_CHECK(LLVMTypeOf(value) == LLVMTypeOf(copy));
  *cn_ptrmap_add(&clone->copies, value, NULL) = (uint64_t)(uintptr_t)copy;
}

void cn_clone_begin(struct cn_clone *clone, struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count,
                    LLVMBasicBlockRef before)
{
  *clone = (struct cn_clone){.ctx = ctx, .blocks = blocks, .count = count};
  CN_CHECK(count);
  clone->builder = LLVMCreateBuilderInContext(ctx->llvm);
  clone->records = LLVMCreateDIBuilder(ctx->module);
  for (uint32_t b = 0; b < count; b++) {
    LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(ctx->llvm, before, LLVMGetBasicBlockName(blocks[b]));
    CN_CHECK(!cn_clone_has(clone, blocks[b]));
    cn_ptrmap_add(&clone->in, blocks[b], NULL);
    cn_clone_set_copy(clone, LLVMBasicBlockAsValue(blocks[b]), LLVMBasicBlockAsValue(copy));
  }
}

void cn_clone_end(struct cn_clone *clone)
{
  LLVMDisposeDIBuilder(clone->records);
  LLVMDisposeBuilder(clone->builder);
  cn_ptrmap_free(&clone->in);
  cn_ptrmap_free(&clone->copies);
}

/* ---- debug information of functions ---- */

/* A new subprogram with the name, type and place of `old`. LLVM-C makes it without its compile unit. */
static LLVMMetadataRef copy_subprogram(const struct cn_clone *clone, LLVMMetadataRef old)
{
  enum { SCOPE_OPERAND = 1, NAME_OPERAND = 2, TYPE_OPERAND = 4, UNIT_OPERAND = 5 };
  struct cn_ctx *ctx = clone->ctx;
  unsigned length = 0, line = LLVMDISubprogramGetLine(old);
  LLVMValueRef string = cn_debug_operand_value(ctx, old, NAME_OPERAND);
  LLVMMetadataRef unit = cn_debug_operand(ctx, old, UNIT_OPERAND);
  const char *name = string ? LLVMGetMDString(string, &length) : "";

  LLVMMetadataRef copy = LLVMDIBuilderCreateFunction(
      clone->records, cn_debug_operand(ctx, old, SCOPE_OPERAND), name, length, "", 0, LLVMDIScopeGetFile(old), line,
      cn_debug_operand(ctx, old, TYPE_OPERAND), true, true, line, LLVMDIFlagPrototyped, true);
  if (unit)
    LLVMReplaceMDNodeOperandWith(LLVMMetadataAsValue(ctx->llvm, copy), UNIT_OPERAND, unit);
  return copy;
}

/* The location in the function's copy. */
static LLVMMetadataRef location_in_copy(const struct cn_clone *clone, LLVMMetadataRef location)
{
  LLVMContextRef llvm = clone->ctx->llvm;
  LLVMMetadataRef site = LLVMDILocationGetInlinedAt(location);
  unsigned line = LLVMDILocationGetLine(location), column = LLVMDILocationGetColumn(location);

  if (!site)
    return LLVMDIBuilderCreateDebugLocation(llvm, line, column, clone->scope, NULL);
  return LLVMDIBuilderCreateDebugLocation(llvm, line, column, LLVMDILocationGetScope(location),
                                          location_in_copy(clone, site));
}

/* The variable in the function's copy. Parameters become locals, because LLVM-C does not tell their numbers. */
static LLVMMetadataRef variable_in_copy(struct cn_clone *clone, LLVMMetadataRef variable)
{
  struct cn_ctx *ctx = clone->ctx;
  LLVMValueRef string = cn_debug_operand_value(ctx, variable, CN_DEBUG_NAME_OPERAND);
  unsigned length = 0;
  bool added;
  uint64_t *copy = cn_ptrmap_add(&clone->copies, variable, &added);

  if (added) {
    const char *name = string ? LLVMGetMDString(string, &length) : "";
    *copy = (uint64_t)(uintptr_t)LLVMDIBuilderCreateAutoVariable(
        clone->records, clone->scope, name, length, LLVMDIVariableGetFile(variable), LLVMDIVariableGetLine(variable),
        cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND), false, LLVMDIFlagZero, 0);
  }
  return (LLVMMetadataRef)(uintptr_t)*copy;
}

/* Copy a record of a variable's value to the function's copy. A value from several values is lost. */
static void copy_record_to_function(struct cn_clone *clone, LLVMDbgRecordRef record, LLVMValueRef before)
{
  LLVMMetadataRef variable = LLVMDbgVariableRecordGetVariable(record);
  LLVMMetadataRef expression = LLVMDbgVariableRecordGetExpression(record);
  LLVMValueRef value = cn_debug_record_value(clone->ctx, record);

  if (!clone->scope)
    return;
  if (!cn_debug_record_site(record))
    variable = variable_in_copy(clone, variable);
  if (!value) {
    value = LLVMGetPoison(LLVMInt1TypeInContext(clone->ctx->llvm));
    expression = LLVMDIBuilderCreateExpression(clone->records, NULL, 0);
  }
  LLVMDIBuilderInsertDbgValueRecordBefore(clone->records, cn_clone_of(clone, value), variable, expression,
                                          location_in_copy(clone, LLVMDbgRecordGetDebugLoc(record)), before);
}

/* ---- instructions ---- */

/* The instructions to copy: all except those that cn_clone_set_copy() has replaced. */
typedef CN_VECTOR(LLVMValueRef) instruction_vector;

static void copy_block(struct cn_clone *clone, LLVMBasicBlockRef block, instruction_vector *copied)
{
  LLVMPositionBuilderAtEnd(clone->builder, cn_clone_of_block(clone, block));
  LLVMSetCurrentDebugLocation2(clone->builder, NULL);
  CN_EACH_INSTRUCTION(i, block) {
    size_t length;
    LLVMValueRef copy;
    if (cn_ptrmap_find(&clone->copies, i))
      continue;
    if (LLVMIsAPHINode(i)) {
      copy = cn_build_phi_like(clone->builder, i, LLVMGetValueName2(i, &length));
    } else {
      copy = LLVMInstructionClone(i);
      LLVMInsertIntoBuilderWithName(clone->builder, copy, LLVMGetValueName2(i, &length));
    }
    cn_push(copied, i);
    cn_clone_set_copy(clone, i, copy);
  }
}

/* Copy the debug records of variables, except records with several values, which are lost. */
static void copy_debug_records(struct cn_clone *clone, LLVMValueRef i)
{
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
    if (!cn_debug_record_sets_value(r))
      continue;
    if (clone->function) {
      copy_record_to_function(clone, r, cn_clone_of(clone, i));
      continue;
    }
    LLVMValueRef value = cn_debug_record_value(clone->ctx, r);
    cn_debug_record_insert(clone->ctx, clone->records, r, value ? cn_clone_of(clone, value) : NULL,
                           cn_clone_of(clone, i));
  }
}

/* Add the inputs of a phi's copy. The first block has predecessors outside the copied blocks; the copy of a phi also
 * gets the inputs from these predecessors. Other copied blocks have outside predecessors only if these are unreachable;
 * the copy of a phi omits their inputs. */
static void connect_phi_copy(struct cn_clone *clone, LLVMValueRef phi, LLVMValueRef copy)
{
  bool first = LLVMGetInstructionParent(phi) == clone->blocks[0];

  for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
    if (!first && !cn_clone_has(clone, from))
      continue;
    LLVMValueRef value = cn_clone_of(clone, LLVMGetIncomingValue(phi, k));
    from = cn_clone_of_block(clone, from);
    LLVMAddIncoming(copy, &value, &from, 1);
  }
  CN_CHECK(LLVMCountIncoming(copy));
}

static void connect_copy(struct cn_clone *clone, LLVMValueRef i)
{
  LLVMValueRef copy = cn_clone_of(clone, i);

  copy_debug_records(clone, i);
  if (LLVMIsAPHINode(i)) {
    connect_phi_copy(clone, i, copy);
    return;
  }
  for (int k = 0; k < LLVMGetNumOperands(copy); k++)
    LLVMSetOperand(copy, (unsigned)k, cn_clone_of(clone, LLVMGetOperand(copy, (unsigned)k)));
}

/* ---- exits ---- */

static void add_copy_inputs_to_phis(struct cn_clone *clone, LLVMBasicBlockRef block)
{
  for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi);
       phi = LLVMGetNextInstruction(phi)) {
    unsigned count = LLVMCountIncoming(phi);
    for (unsigned k = 0; k < count; k++) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
      if (!cn_clone_has(clone, from))
        continue;
      LLVMValueRef value = cn_clone_of(clone, LLVMGetIncomingValue(phi, k));
      from = cn_clone_of_block(clone, from);
      LLVMAddIncoming(phi, &value, &from, 1);
    }
  }
}

static void feed_exit_phis(struct cn_clone *clone)
{
  CN_VECTOR(LLVMBasicBlockRef) exits = {0};
  struct cn_ptrmap seen = {0};

  for (uint32_t b = 0; b < clone->count; b++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(clone->blocks[b]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
      LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
      bool added = false;
      if (!cn_clone_has(clone, to))
        cn_ptrmap_add(&seen, to, &added);
      if (added)
        cn_push(&exits, to);
    }
  }
  for (size_t e = 0; e < exits.count; e++)
    add_copy_inputs_to_phis(clone, exits.at[e]);
  cn_ptrmap_free(&seen);
  cn_free(&exits);
}

void cn_clone_fill(struct cn_clone *clone)
{
  instruction_vector copied = {0};

  for (uint32_t b = 0; b < clone->count; b++)
    copy_block(clone, clone->blocks[b], &copied);
  for (size_t i = 0; i < copied.count; i++)
    connect_copy(clone, copied.at[i]);
  for (uint32_t b = 0; b < clone->count; b++)
    CN_CHECK(LLVMGetBasicBlockTerminator(cn_clone_of_block(clone, clone->blocks[b])));
  feed_exit_phis(clone);
  cn_free(&copied);
}

void cn_clone_replace_phis(const struct cn_clone *clone, LLVMBasicBlockRef header,
                           LLVMValueRef (*build)(const struct cn_clone *clone, LLVMValueRef phi))
{
  CN_VECTOR(LLVMValueRef) phis = {0};
  CN_VECTOR(LLVMValueRef) fresh = {0};

  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
    cn_push(&phis, phi);
  for (size_t i = 0; i < phis.count; i++)
    cn_push(&fresh, build(clone, phis.at[i]));
  for (size_t i = 0; i < phis.count; i++)
    cn_emit_replace_instruction(phis.at[i], fresh.at[i]);
  cn_free(&phis);
  cn_free(&fresh);
}

/* ---- functions ---- */

static bool may_copy_instruction(LLVMValueRef i)
{
  LLVMValueRef called = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? LLVMGetCalledValue(i) : NULL;

  return !LLVMIsACallBrInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMTokenTypeKind &&
         !(called && (LLVMIsAInlineAsm(called) ||
                      LLVMGetCallSiteEnumAttribute(i, CN_FUNCTION_INDEX, cn_attribute_kind("noduplicate"))));
}

bool cn_can_clone_function(LLVMValueRef function, uint32_t most)
{
  uint32_t size = 0;

  if (LLVMIsDeclaration(function) || !cn_can_retype_function(function))
    return false;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (size++ == most || !may_copy_instruction(i))
        return false;
  return true;
}

/* The copy's loops lose their metadata, which has locations in the function, and hints for the optimiser. */
static void set_locations_of_copy(const struct cn_clone *clone, LLVMValueRef copy)
{
  unsigned loop = LLVMGetMDKindIDInContext(clone->ctx->llvm, "llvm.loop", 9);

  CN_EACH_BLOCK(b, copy)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
      LLVMSetMetadata(i, loop, NULL);
      if (location)
        LLVMInstructionSetDebugLoc(i, location_in_copy(clone, location));
    }
}

LLVMValueRef cn_clone_function(struct cn_ctx *ctx, LLVMValueRef function, const char *name)
{
  LLVMValueRef copy = LLVMAddFunction(ctx->module, name, LLVMGlobalGetValueType(function));
  unsigned count = LLVMCountBasicBlocks(function);
  LLVMBasicBlockRef *blocks = cn_alloc((count + 1) * sizeof *blocks),
                    end = LLVMAppendBasicBlockInContext(ctx->llvm, copy, "");
  struct cn_clone clone;

  CN_CHECK(cn_can_clone_function(function, UINT32_MAX));
  LLVMGetBasicBlocks(function, blocks);
  LLVMSetLinkage(copy, LLVMInternalLinkage);
  cn_emit_copy_function_properties(function, copy);
  cn_clone_begin(&clone, ctx, blocks, count, end);
  clone.function = function;
  if (LLVMGetSubprogram(function)) {
    clone.scope = copy_subprogram(&clone, LLVMGetSubprogram(function));
    LLVMSetSubprogram(copy, clone.scope);
  }
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    size_t length;
    const char *parameter = LLVMGetValueName2(LLVMGetParam(function, i), &length);
    LLVMSetValueName2(LLVMGetParam(copy, i), parameter, length);
    cn_clone_set_copy(&clone, LLVMGetParam(function, i), LLVMGetParam(copy, i));
  }
  cn_clone_fill(&clone);
  LLVMDeleteBasicBlock(end);
  if (clone.scope)
    set_locations_of_copy(&clone, copy);
  cn_clone_end(&clone);
  free(blocks);
  return copy;
}
