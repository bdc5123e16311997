/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the records of deopt values in bundles "deopt" (abi.def, DEOPT_FRAME), and the numbers that a front end gives
 * to layouts. Needs, breaks: nothing. Provides: the functions of deopt_records.h; diagnostic deopt-layouts.
 */
#include "compile/effects/deopt_records.h"

#include <stdlib.h>
#include "base/check.h"

enum { MAX_LANGUAGE = 255, ROW_OPERANDS = 3 };

bool cn_deopt_read_word(LLVMValueRef operand, uint64_t *word)
{
  if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) != 64)
    return false;
  *word = LLVMConstIntGetZExtValue(operand);
  return true;
}

static bool is_header(uint64_t word)
{
  uint64_t magic = word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT;

  return magic == CAIRN_ABI_DEOPT_FRAME || magic == CAIRN_ABI_DEOPT_OBJECTS;
}

bool cn_deopt_is_record(const LLVMValueRef *operands, size_t count)
{
  uint64_t word;

  return count && cn_deopt_read_word(operands[0], &word) && is_header(word);
}

bool cn_deopt_find_records(LLVMValueRef call, uint32_t first, uint32_t end, struct cn_deopt_records *out)
{
  uint32_t at = first;
  uint64_t word;

  *out = (struct cn_deopt_records){0};
  while (at < end) {
    struct cn_deopt_record r = {.start = at};
    if (!cn_deopt_read_word(LLVMGetOperand(call, at), &word) || !is_header(word))
      return false;
    uint32_t length = (uint32_t)word;
    bool objects = word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_OBJECTS;
    if (length < (objects ? CAIRN_ABI_DEOPT_OBJECTS_HEAD : CAIRN_ABI_DEOPT_FRAME_HEAD) || length > end - at ||
        (objects && !cn_deopt_read_word(LLVMGetOperand(call, at + 2), &r.shared)))
      return false;
    at += length;
    r.end = at;
    cn_push(&out->list, r);
  }
  return out->list.count != 0;
}

/* ---- layouts ---- */

struct layout_row {
  LLVMValueRef global; /* null: the module has dropped the layout */
  uint64_t language, number;
};

static bool read_row(LLVMValueRef node, struct layout_row *row)
{
  LLVMValueRef operands[ROW_OPERANDS];

  *row = (struct layout_row){0};
  if (!LLVMIsAMDNode(node) || LLVMGetMDNodeNumOperands(node) != ROW_OPERANDS)
    return false;
  LLVMGetMDNodeOperands(node, operands);
  row->global = operands[0];
  for (unsigned i = 1; i < ROW_OPERANDS; i++)
    if (!operands[i] || !LLVMIsAConstantInt(operands[i]) || LLVMGetIntTypeWidth(LLVMTypeOf(operands[i])) > 64)
      return false;
  row->language = LLVMConstIntGetZExtValue(operands[1]);
  row->number = LLVMConstIntGetZExtValue(operands[2]);
  return (!row->global || LLVMIsAGlobalVariable(row->global)) && row->language <= MAX_LANGUAGE &&
         row->number <= UINT32_MAX;
}

/* The rows; the caller frees them. */
static LLVMValueRef *get_rows(struct cn_ctx *ctx, unsigned *count)
{
  *count = LLVMGetNamedMetadataNumOperands(ctx->module, CN_DEOPT_LAYOUTS);
  LLVMValueRef *rows = cn_alloc((*count + 1) * sizeof *rows);

  LLVMGetNamedMetadataOperands(ctx->module, CN_DEOPT_LAYOUTS, rows);
  return rows;
}

bool cn_deopt_check_layouts(struct cn_ctx *ctx)
{
  struct layout_row row, other;
  unsigned count, wrong = 0;
  LLVMValueRef *rows = get_rows(ctx, &count);

  for (unsigned i = 0; i < count; i++) {
    bool right = read_row(rows[i], &row);
    for (unsigned k = 0; right && row.global && k < i; k++)
      right = !read_row(rows[k], &other) || other.global != row.global ||
              (other.language == row.language && other.number == row.number);
    if (!right)
      cn_error(ctx, NULL, "deopt-layouts",
               "row %u of !" CN_DEOPT_LAYOUTS " is not a layout, a language below 256 and a number of 32 bits, or it "
               "contradicts an earlier row",
               i);
    wrong += !right;
  }
  free(rows);
  return wrong == 0;
}

bool cn_deopt_layout_number(struct cn_ctx *ctx, LLVMValueRef global, uint32_t *language, uint32_t *number)
{
  struct layout_row row;
  unsigned count;
  LLVMValueRef *rows = get_rows(ctx, &count);
  bool found = false;

  for (unsigned i = 0; i < count && !found; i++) {
    found = read_row(rows[i], &row) && row.global == global;
    *language = (uint32_t)row.language;
    *number = (uint32_t)row.number;
  }
  free(rows);
  return found;
}
