/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `verify-points`: checks the descriptions of points (abi.def, "Points"), and the frame records (check_deopt.c).
 * Needs: the module for LLVM's code generator. Provides: diagnostics point-description and deopt-record. Breaks:
 * nothing.
 *
 * Each call of stackmap and patchpoint, and each statepoint with patch bytes or with deopt values, has one description,
 * with the length of the region, and with a class and a width for each value of the record. A statepoint that a front
 * end wrote may lack a description of deopt values that are no records. This file and points.c share no code but the
 * classification of calls: this file reads a description from its mark.
 */
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/effects/points.h"
#include "compile/verify/verify.h"

enum { STACKMAP_FIXED = 2, PATCHPOINT_FIXED = 4, WORDS_BEFORE_CLASSES = 4 };

/* A record. Its values are the result, if `result` is not null, and the operands [first, mark) without [skip, live). */
struct point_record {
  LLVMValueRef call, result;
  uint64_t kind, bytes, arguments;
  unsigned first, skip, live, end, mark;
  bool may_be_fence;
};

static bool read_word(LLVMValueRef call, unsigned operand, uint64_t *out)
{
  LLVMValueRef value = LLVMGetOperand(call, operand);

  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) != 64)
    return false;
  *out = LLVMConstIntGetZExtValue(value);
  return true;
}

/* The first operand of [first, end) that is the mark, or `end`. */
static unsigned find_mark(LLVMValueRef call, unsigned first, unsigned end)
{
  uint64_t word;

  while (first < end && !(read_word(call, first, &word) && word == CAIRN_ABI_POINT_MARK))
    first++;
  return first;
}

/* True if the word is the class and the width of the value. A constant may have replaced an undefined value, and a
 * computation the address of a local. */
static bool is_class_of(struct cn_ctx *ctx, uint64_t word, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  uint64_t class = word & 0xff;

  if (!LLVMTypeIsSized(type) || word >> CAIRN_ABI_POINT_BITS_SHIFT != LLVMSizeOfTypeInBits(ctx->layout, type))
    return false;
  if (class == CAIRN_ABI_POINT_UNDEFINED)
    return LLVMIsConstant(value);
  if (cn_is_ref(type))
    return class == CAIRN_ABI_POINT_REFERENCE;
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return class == CAIRN_ABI_POINT_POINTER || class == CAIRN_ABI_POINT_LOCAL;
  case LLVMVectorTypeKind:
    return class == CAIRN_ABI_POINT_VECTOR;
  case LLVMIntegerTypeKind: /* lower-tags makes integers of constant immediates */
    return class == CAIRN_ABI_POINT_INTEGER || (class == CAIRN_ABI_POINT_REFERENCE && LLVMIsAConstantInt(value));
  case LLVMBFloatTypeKind:
    return class == CAIRN_ABI_POINT_INTEGER;
  default:
    return class == CAIRN_ABI_POINT_FLOAT;
  }
}

static const char *classes_wrong(struct cn_ctx *ctx, const struct point_record *r, unsigned at, unsigned end)
{
  uint64_t word;

  if (r->result && (at == end || !read_word(r->call, at++, &word) || !is_class_of(ctx, word, r->result)))
    return "has another class for the result";
  for (unsigned i = r->first; i < r->mark; i++) {
    if (i >= r->skip && i < r->live)
      continue;
    if (at == end)
      return "lacks the class of a value";
    if (!read_word(r->call, at++, &word) || !is_class_of(ctx, word, LLVMGetOperand(r->call, i)))
      return "has another class for a value";
  }
  return at == end ? NULL : "has more classes than there are values";
}

static const char *description_wrong(struct cn_ctx *ctx, const struct point_record *r)
{
  uint64_t word, bytes, arguments, length;

  if (find_mark(r->call, r->mark + 1, r->end) < r->end)
    return "is there twice";
  if (r->end - r->mark <= WORDS_BEFORE_CLASSES || !read_word(r->call, r->end - 1, &length) ||
      length != r->end - 1 - r->mark)
    return "has another length than it says";
  if (!read_word(r->call, r->mark + 1, &word) || !read_word(r->call, r->mark + 2, &bytes) ||
      !read_word(r->call, r->mark + 3, &arguments))
    return "has words that are no numbers";
  bool fence = r->may_be_fence && (word & 0xff) == CAIRN_ABI_POINT_FENCE;
  if (!fence && (word & 0xff) != r->kind)
    return "is of another kind";
  if (bytes != r->bytes || arguments != r->arguments)
    return "has another number of bytes or arguments than the call";
  if (!(word >> CAIRN_ABI_POINT_FLAGS_SHIFT & CAIRN_ABI_POINT_HAS_RESULT) != !r->result)
    return "disagrees with the call about a result";
  return classes_wrong(ctx, r, r->mark + WORDS_BEFORE_CLASSES, r->end - 1);
}

static void check_record(struct cn_ctx *ctx, struct point_record *r)
{
  char name[160];

  r->mark = find_mark(r->call, r->live, r->end);
  const char *wrong = r->mark < r->end ? description_wrong(ctx, r) : "is missing";
  if (wrong)
    cn_error(ctx, r->call, "point-description", "the description of the point at %s %s",
             cn_calls_describe(r->call, name, sizeof name), wrong);
}

static void check_point_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  unsigned end = LLVMGetNumArgOperands(call);
  struct point_record r = {.call = call, .kind = CAIRN_ABI_POINT_SHADOW, .first = STACKMAP_FIXED, .end = end};
  uint64_t arguments = 0;

  r.bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
  r.may_be_fence = r.bytes == 0;
  if (!cn_calls_intrinsic(call, "llvm.experimental.stackmap")) {
    r.kind = CAIRN_ABI_POINT_PATCHPOINT;
    r.first = PATCHPOINT_FIXED;
    r.may_be_fence = false;
    arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(call, PATCHPOINT_FIXED - 1));
  }
  r.live = arguments > end - r.first ? end : r.first + (unsigned)arguments;
  r.skip = r.first;
  if (r.kind == CAIRN_ABI_POINT_PATCHPOINT && LLVMGetInstructionCallConv(call) == CN_CONVENTION_ANY_REGISTER) {
    r.skip = r.live;
    r.arguments = arguments;
    r.result = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind ? NULL : call;
  }
  check_record(ctx, &r);
}

/* True if the operand is the first word of a record of deopt values. */
static bool begins_record(LLVMValueRef call, unsigned operand)
{
  uint64_t word;

  return read_word(call, operand, &word) && (word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_FRAME ||
                                             word >> CAIRN_ABI_DEOPT_MAGIC_SHIFT == CAIRN_ABI_DEOPT_OBJECTS);
}

/* The description is before the lists of described allocas and of spans. */
static void check_statepoint(struct cn_ctx *ctx, LLVMValueRef statepoint, bool pairs)
{
  struct point_record r = {.call = statepoint, .kind = CAIRN_ABI_POINT_STATEPOINT};
  bool records = false;

  r.bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 1));
  if (cn_calls_find_bundle(statepoint, "deopt", &r.first, &r.end)) {
    r.end = cn_verify_end_before_tail(statepoint, CAIRN_ABI_SPAN_MARK, r.first, r.end);
    r.end = cn_verify_end_before_tail(statepoint, CAIRN_ABI_ALLOCA_MARK, r.first, r.end);
    records = r.first < r.end && begins_record(statepoint, r.first);
  } else {
    r.first = r.end = 0;
  }
  bool described = find_mark(statepoint, r.first, r.end) < r.end;
  if (!described && !records && (pairs || !r.bytes))
    return;
  r.skip = r.live = r.first;
  check_record(ctx, &r);
}

bool cn_verify_points(struct cn_ctx *ctx)
{
  bool pairs = ctx->options && ctx->options->roots == CAIRN_ROOT_FORMS_PAIRS;

  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b) {
        if (cn_is_call(i) && LLVMGetNumOperandBundles(i))
          cn_verify_deopt_records(ctx, i);
        if (cn_is_point_call(i))
          check_point_call(ctx, i);
        else if (cn_epochs_is_statepoint(i))
          check_statepoint(ctx, i, pairs);
      }
  return ctx->errors == 0;
}
