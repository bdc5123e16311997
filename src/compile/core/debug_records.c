/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves debug records along with the instructions of a block that is split.
 *
 * LLVM-C leaves the records of moved instructions behind, at the end of the head. No instructions separate these
 * records, so only the last record of each variable counts. A new last record gives each variable its value at the
 * split.
 *
 * Needs: the instructions of the tail move in one step. Provides: the functions of debug_records.h, and records that
 * give each variable its value, or say that the value is lost. Breaks: the value of a record of several values is lost,
 * and also a value at the end of the head whose record is far away.
 */
#include "compile/core/debug_records.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"

/* The most instructions that a search for the record of a variable visits, because a block may be split often. */
enum { MAX_SEARCHED_INSTRUCTIONS = 64 };

/* ---- nodes ---- */

LLVMValueRef cn_debug_operand_value(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index)
{
  LLVMValueRef value = LLVMMetadataAsValue(ctx->llvm, node);
  unsigned count = LLVMIsAMDNode(value) ? LLVMGetMDNodeNumOperands(value) : 0;

  if (index >= count)
    return NULL;
  LLVMValueRef *operands = cn_alloc(count * sizeof *operands);
  LLVMGetMDNodeOperands(value, operands);
  LLVMValueRef found = operands[index];
  free(operands);
  return found;
}

LLVMMetadataRef cn_debug_operand(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index)
{
  LLVMValueRef value = cn_debug_operand_value(ctx, node, index);

  return value ? LLVMValueAsMetadata(value) : NULL;
}

bool cn_debug_is_type(LLVMMetadataRef node)
{
  LLVMMetadataKind kind = node ? LLVMGetMetadataKind(node) : LLVMGenericDINodeMetadataKind;

  return node && (kind == LLVMDICompositeTypeMetadataKind || kind == LLVMDIDerivedTypeMetadataKind);
}

LLVMMetadataRef cn_debug_strip_typedefs(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  while (cn_debug_is_type(type) && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind &&
         LLVMGetDINodeTag(type) != CN_DW_TAG_POINTER)
    type = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND);
  return type;
}

/* ---- records ---- */

/* The text of the record's expression, which the caller disposes of. LLVM-C has no other way to read an expression, and
 * printing the record would number the whole module each time. */
static char *print_expression(struct cn_ctx *ctx, LLVMDbgRecordRef record)
{
  return LLVMPrintValueToString(LLVMMetadataAsValue(ctx->llvm, LLVMDbgVariableRecordGetExpression(record)));
}

static bool mentions_operation(struct cn_ctx *ctx, LLVMDbgRecordRef record, const char *operation)
{
  char *text = print_expression(ctx, record);
  bool found = strstr(text, operation) != NULL;

  LLVMDisposeMessage(text);
  return found;
}

struct cn_debug_part cn_debug_record_part(struct cn_ctx *ctx, LLVMDbgRecordRef record)
{
  static const char start[] = "DIExpression(", fragment[] = "DW_OP_LLVM_fragment, ";
  char *text = print_expression(ctx, record);
  const char *first = strstr(text, start), *part = strstr(text, fragment);
  struct cn_debug_part found = {.list = strstr(text, "DW_OP_LLVM_arg") != NULL};

  CN_CHECK(first);
  first += sizeof start - 1;
  if (part) {
    char *end;
    found.offset = strtoull(part + sizeof fragment - 1, &end, 10);
    CN_CHECK(end[0] == ',' && end[1] == ' ');
    found.bits = strtoull(end + 2, NULL, 10);
  }
  found.plain = first == part || *first == ')';
  LLVMDisposeMessage(text);
  return found;
}

unsigned cn_debug_record_value_count(struct cn_ctx *ctx, LLVMDbgRecordRef record)
{
  static const char argument[] = "DW_OP_LLVM_arg, ";
  char *text = print_expression(ctx, record);
  unsigned long count = 0;

  for (const char *at = text; (at = strstr(at, argument)) != NULL;) {
    unsigned long index = strtoul(at += sizeof argument - 1, NULL, 10);
    count = index < count ? count : index + 1;
  }
  LLVMDisposeMessage(text);
  return (unsigned)count;
}

LLVMValueRef cn_debug_record_value(struct cn_ctx *ctx, LLVMDbgRecordRef record)
{
  return mentions_operation(ctx, record, "DW_OP_LLVM_arg") ? NULL : LLVMDbgVariableRecordGetValue(record, 0);
}

void cn_debug_record_insert(struct cn_ctx *ctx, LLVMDIBuilderRef builder, LLVMDbgRecordRef record, LLVMValueRef value,
                            LLVMValueRef before)
{
  LLVMMetadataRef expression = LLVMDbgVariableRecordGetExpression(record);

  if (!value) {
    value = LLVMGetPoison(LLVMInt1TypeInContext(ctx->llvm));
    expression = LLVMDIBuilderCreateExpression(builder, NULL, 0);
  }
  LLVMDIBuilderInsertDbgValueRecordBefore(builder, value, LLVMDbgVariableRecordGetVariable(record), expression,
                                          LLVMDbgRecordGetDebugLoc(record), before);
}

bool cn_debug_record_sets_value(LLVMDbgRecordRef record)
{
  LLVMDbgRecordKind kind = LLVMDbgRecordGetKind(record);

  return kind == LLVMDbgRecordValue || kind == LLVMDbgRecordAssign;
}

LLVMMetadataRef cn_debug_record_site(LLVMDbgRecordRef record)
{
  LLVMMetadataRef location = LLVMDbgRecordGetDebugLoc(record);

  return location ? LLVMDILocationGetInlinedAt(location) : NULL;
}

/* The entry of the record's variable, or null if no records of the variable move. */
static struct cn_staying_record *find_variable_of_record(const struct cn_moving_records *records,
                                                         LLVMDbgRecordRef record)
{
  const uint64_t *first = cn_ptrmap_find(&records->variables, LLVMDbgVariableRecordGetVariable(record));

  for (uint64_t i = first ? *first : 0; i; i = records->left.at[i - 1].next)
    if (cn_debug_record_site(records->left.at[i - 1].moving) == cn_debug_record_site(record))
      return &records->left.at[i - 1];
  return NULL;
}

static void note_moving_record(struct cn_moving_records *records, LLVMDbgRecordRef record, LLVMValueRef at)
{
  struct cn_moving_record moving = {record, at};
  bool is_part = mentions_operation(records->ctx, record, "DW_OP_LLVM_fragment");
  struct cn_staying_record *known = find_variable_of_record(records, record);

  cn_push(&records->moving, moving);
  if (known) {
    known->in_parts |= is_part;
    return;
  }
  uint64_t *first = cn_ptrmap_add(&records->variables, LLVMDbgVariableRecordGetVariable(record), NULL);
  struct cn_staying_record left = {.moving = record, .in_parts = is_part, .next = *first};
  cn_push(&records->left, left);
  *first = records->left.count;
}

/* Note the records before `at`, which stay. */
static void note_staying_records(struct cn_moving_records *records, LLVMValueRef at)
{
  for (LLVMDbgRecordRef r = LLVMGetLastDbgRecord(at); r; r = LLVMGetPreviousDbgRecord(r)) {
    struct cn_staying_record *left = cn_debug_record_sets_value(r) ? find_variable_of_record(records, r) : NULL;
    if (!left || left->record)
      continue;
    left->record = r;
    left->in_parts |= mentions_operation(records->ctx, r, "DW_OP_LLVM_fragment");
  }
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
  LLVMBasicBlockRef only = NULL;

  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsATerminatorInst(user))
      continue;
    LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
    if (only && only != from)
      return NULL;
    only = from;
  }
  return only;
}

void cn_moving_records_gather(struct cn_moving_records *records, struct cn_ctx *ctx, LLVMValueRef first)
{
  *records = (struct cn_moving_records){.ctx = ctx};
  for (LLVMValueRef i = LLVMGetNextInstruction(first); i; i = LLVMGetNextInstruction(i))
    for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
      if (cn_debug_record_sets_value(r))
        note_moving_record(records, r, i);
  if (!records->moving.count)
    return;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(first);
  LLVMValueRef at = first;
  for (unsigned searched = 0; searched < MAX_SEARCHED_INSTRUCTIONS && at; searched++) {
    note_staying_records(records, at);
    at = LLVMGetPreviousInstruction(at);
    if (!at && (block = only_predecessor(block)))
      at = LLVMGetBasicBlockTerminator(block);
  }
}

void cn_moving_records_reinsert(struct cn_moving_records *records, LLVMValueRef end)
{
  struct cn_ctx *ctx = records->ctx;

  CN_ASSERT(LLVMIsATerminatorInst(end));
  if (records->moving.count) {
    LLVMDIBuilderRef builder = LLVMCreateDIBuilder(ctx->module);
    for (size_t i = 0; i < records->moving.count; i++) {
      const struct cn_moving_record *m = &records->moving.at[i];
      cn_debug_record_insert(ctx, builder, m->record, cn_debug_record_value(ctx, m->record), m->at);
    }
    for (size_t i = 0; i < records->left.count; i++) {
      const struct cn_staying_record *left = &records->left.at[i];
      LLVMDbgRecordRef said = left->record ? left->record : left->moving;
      cn_debug_record_insert(ctx, builder, said,
                             left->record && !left->in_parts ? cn_debug_record_value(ctx, said) : NULL, end);
    }
    LLVMDisposeDIBuilder(builder);
  }
  cn_free(&records->moving);
  cn_free(&records->left);
  cn_ptrmap_free(&records->variables);
}
