/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowers immediates: integers in words that may also be references (docs/words.md); boxes.c lowers boxes. The optimiser
 * and the rewriter treat immediates as references. Three opaque, pure functions make and read immediates, so that these
 * passes never see arithmetic on an object's address. Immediates are "cairn-immovable". cn_tags_prepare_functions()
 * checks the functions and the kind of words, and gives the functions attributes for the optimiser. Pass `lower-tags`
 * replaces the calls by arithmetic after all references have been relocated and verified.
 *
 * Needs: final, verified statepoints. Provides: arithmetic instead of all calls of the three functions. Breaks:
 * verify-safepoints, which would mistake integers for addresses and so refuses the module.
 *
 * An integer is its word shifted right, so the lowered code adds and compares the words themselves, as in D. Gudeman,
 * "Representing Type Information in Dynamically Typed Languages" (1993). cairn.tag.value of a reference gives an
 * arbitrary integer. The result of cairn.tag.from is always an immediate, because the last operation sets its low bits.
 */
#include "compile/lower/lower.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/lower/tags.h"

enum tag { TAG_FROM_INTEGER, TAG_IS_IMMEDIATE, TAG_VALUE_OF_IMMEDIATE, TAG_COUNT };

static const char *const tag_function_names[TAG_COUNT] = {CN_TAG_FROM, CN_TAG_IS, CN_TAG_VALUE};

/* ---- declarations ---- */

static LLVMTypeRef tag_function_type_of(struct cn_ctx *ctx, enum tag tag)
{
  LLVMTypeRef ref = cn_ref_type(ctx), i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMTypeRef results[TAG_COUNT] = {ref, LLVMInt1TypeInContext(ctx->llvm), i64};

  return LLVMFunctionType(results[tag], tag == TAG_FROM_INTEGER ? &i64 : &ref, 1, false);
}

static bool is_call_of(LLVMValueRef call, LLVMValueRef function)
{
  return LLVMIsACallInst(call) && LLVMGetCalledValue(call) == function &&
         LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(function);
}

LLVMValueRef cn_tags_find_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function || !LLVMGetFirstUse(function))
    return NULL;
  if (!LLVMIsDeclaration(function) || LLVMGlobalGetValueType(function) != type) {
    cn_error(ctx, function, "tag-call", "@%s is not declared as Cairn has it (docs/words.md)", name);
    return NULL;
  }
  CN_EACH_USE(use, function)
    if (!is_call_of(LLVMGetUser(use), function)) {
      cn_error(ctx, function, "tag-call", "@%s is used other than by calling it", name);
      return NULL;
    }
  return function;
}

/* The function if the module uses it and passes the checks, else null. */
static LLVMValueRef find_used_function(struct cn_ctx *ctx, enum tag tag)
{
  LLVMValueRef function = cn_tags_find_function(ctx, tag_function_names[tag], tag_function_type_of(ctx, tag));

  if (!function || cn_words(ctx).reference_bits != 0)
    return function;
  cn_error(ctx, function, "word-kind",
           "@%s is used, but the module has no encoding of words: give -fcairn-words, or the module flag "
           "\"" CN_WORDS_FLAG "\"",
           tag_function_names[tag]);
  return NULL;
}

void cn_tags_add_leaf_attributes(struct cn_ctx *ctx, LLVMValueRef function)
{
  static const char *const attributes[] = {"nounwind", "willreturn", "speculatable", "nocallback",
                                           "nofree",   "nosync",     "memory"};

  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, attributes[i], 0);
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1, "", 0));
}

static void add_pure_leaf_attributes(struct cn_ctx *ctx, LLVMValueRef function, enum tag tag)
{
  cn_tags_add_leaf_attributes(ctx, function);
  if (tag == TAG_FROM_INTEGER)
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeReturnIndex,
        LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_IMMOVABLE, sizeof CN_ATTR_IMMOVABLE - 1, "", 0));
}

void cn_tags_prepare_functions(struct cn_ctx *ctx)
{
  char buffer[CN_WORDS_TEXT_BYTES];

  cn_words_check_and_keep_flag(ctx);
  if (cn_words(ctx).reference != 0 && ctx->options->manage_all)
    cn_error(ctx, NULL, "tagged-references",
             "with words %s references carry a tag, which C's pointers do not: C needs a kind in "
             "which they end in zeros",
             cn_words_format_kind(cn_words(ctx), buffer));
  for (enum tag tag = TAG_FROM_INTEGER; tag < TAG_COUNT; tag++) {
    LLVMValueRef function = find_used_function(ctx, tag);
    if (function)
      add_pure_leaf_attributes(ctx, function, tag);
  }
  cn_boxes_prepare_functions(ctx);
}

/* ---- the pass ---- */

struct tag_lowering {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  struct cairn_word_kind kind;
  struct cn_ptrmap words; /* integer -> the word that it was read from */
};

static LLVMValueRef make_i64(const struct tag_lowering *l, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(l->ctx->llvm), value, true);
}

/* A constant integer at its position in a word, with zero tag bits. */
static uint64_t raised_bits_of(const struct tag_lowering *l, LLVMValueRef integer)
{
  return LLVMConstIntGetZExtValue(integer) << l->kind.integer_bits;
}

static uint64_t tag_bits_mask(const struct tag_lowering *l)
{
  return (UINT64_C(1) << l->kind.integer_bits) - 1;
}

/* The word that `value` was read from, as an integer, or null. */
static LLVMValueRef source_word_of(const struct tag_lowering *l, LLVMValueRef value)
{
  const uint64_t *word = cn_ptrmap_find(&l->words, value);

  return word ? (LLVMValueRef)(uintptr_t)*word : NULL;
}

static LLVMValueRef build_address(const struct tag_lowering *l, LLVMValueRef call)
{
  return LLVMBuildPtrToInt(l->builder, LLVMGetOperand(call, 0), LLVMInt64TypeInContext(l->ctx->llvm), "");
}

static void replace_by(LLVMValueRef call, LLVMValueRef with)
{
  LLVMReplaceAllUsesWith(call, with);
  LLVMInstructionEraseFromParent(call);
}

/* The integer at its position in a word is the word without the tag bits. */
static void lower_raised_values(struct tag_lowering *l, LLVMValueRef call)
{
  LLVMValueRef bits = make_i64(l, l->kind.integer_bits);

  for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (!LLVMIsAInstruction(user) || LLVMGetInstructionOpcode(user) != LLVMShl || LLVMGetOperand(user, 1) != bits)
      continue;
    LLVMPositionBuilderBefore(l->builder, user);
    replace_by(user, LLVMBuildAnd(l->builder, build_address(l, call), make_i64(l, ~tag_bits_mask(l)), ""));
  }
}

static void lower_tag_value(struct tag_lowering *l, LLVMValueRef call)
{
  lower_raised_values(l, call);
  if (!LLVMGetFirstUse(call)) {
    LLVMInstructionEraseFromParent(call);
    return;
  }
  LLVMPositionBuilderBefore(l->builder, call);
  LLVMValueRef word = build_address(l, call);
  LLVMValueRef value = LLVMBuildAShr(l->builder, word, make_i64(l, l->kind.integer_bits), "");

  if (LLVMIsAInstruction(value))
    *cn_ptrmap_add(&l->words, value, NULL) = (uintptr_t)word;
  replace_by(call, value);
}

static bool is_made_immediate(LLVMValueRef value)
{
  struct cn_ptrmap seen = {0};
  CN_VECTOR(LLVMValueRef) work = {0};
  bool made = true, fresh;

  cn_push(&work, value);
  while (made && work.count > 0) {
    value = work.at[--work.count];
    cn_ptrmap_add(&seen, value, &fresh);
    LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    size_t length;
    made = LLVMIsAPHINode(value) || LLVMIsASelectInst(value) ||
           (callee && strcmp(LLVMGetValueName2(callee, &length), CN_TAG_FROM) == 0);
    if (!made || callee || !fresh)
      continue;
    for (int i = LLVMIsASelectInst(value) ? 1 : 0; i < LLVMGetNumOperands(value); i++)
      cn_push(&work, LLVMGetOperand(value, (unsigned)i));
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  return made;
}

static void lower_tag_is(struct tag_lowering *l, LLVMValueRef call)
{
  if (is_made_immediate(LLVMGetOperand(call, 0))) {
    replace_by(call, LLVMConstInt(LLVMInt1TypeInContext(l->ctx->llvm), 1, false));
    return;
  }
  uint64_t mask = (UINT64_C(1) << l->kind.reference_bits) - 1;
  LLVMValueRef bits = LLVMBuildAnd(l->builder, build_address(l, call), make_i64(l, mask), "");

  replace_by(call, LLVMBuildICmp(l->builder, LLVMIntNE, bits, make_i64(l, l->kind.reference), ""));
}

/* A sum of integers at its position in a word. */
struct shifted_sum {
  LLVMValueRef value;
  bool exact; /* the low bits are zero for all words */
};

static struct shifted_sum raise_integer(struct tag_lowering *l, LLVMValueRef integer, unsigned depth);

static struct shifted_sum raise_sum(struct tag_lowering *l, LLVMValueRef integer, unsigned depth)
{
  struct shifted_sum a = raise_integer(l, LLVMGetOperand(integer, 0), depth + 1),
                     b = raise_integer(l, LLVMGetOperand(integer, 1), depth + 1);
  bool add = LLVMGetInstructionOpcode(integer) == LLVMAdd;

  return (struct shifted_sum){add ? LLVMBuildAdd(l->builder, a.value, b.value, "")
                                  : LLVMBuildSub(l->builder, a.value, b.value, ""),
                              a.exact && b.exact};
}

static bool is_single_use_sum(LLVMValueRef integer)
{
  LLVMOpcode opcode = LLVMIsAInstruction(integer) ? LLVMGetInstructionOpcode(integer) : 0;
  LLVMUseRef use = LLVMGetFirstUse(integer);

  return (opcode == LLVMAdd || opcode == LLVMSub) && use && !LLVMGetNextUse(use);
}

/* The integer at its position in a word. The search follows up to MAX_SUM_DEPTH additions from the sum to the words. */
static struct shifted_sum raise_integer(struct tag_lowering *l, LLVMValueRef integer, unsigned depth)
{
  enum { MAX_SUM_DEPTH = 8 };
  LLVMValueRef word = source_word_of(l, integer);

  CN_ASSERT(depth <= MAX_SUM_DEPTH + 1);
  if (LLVMIsAConstantInt(integer))
    return (struct shifted_sum){make_i64(l, raised_bits_of(l, integer)), true};
  if (word)
    return (struct shifted_sum){LLVMBuildSub(l->builder, word, make_i64(l, l->kind.integer), ""), false};
  if (depth < MAX_SUM_DEPTH && is_single_use_sum(integer))
    return raise_sum(l, integer, depth);
  return (struct shifted_sum){LLVMBuildShl(l->builder, integer, make_i64(l, l->kind.integer_bits), ""), true};
}

static void lower_tag_from(struct tag_lowering *l, LLVMValueRef call)
{
  struct shifted_sum sum = raise_integer(l, LLVMGetOperand(call, 0), 0);
  LLVMValueRef word = sum.value;

  if (!sum.exact && l->kind.integer == tag_bits_mask(l)) /* the tag bits are all ones, so the sum needs no mask */
    word = LLVMBuildAdd(l->builder, word, make_i64(l, l->kind.integer), "");
  else if (!sum.exact)
    word = LLVMBuildAnd(l->builder, word, make_i64(l, ~tag_bits_mask(l)), "");
  word = LLVMBuildOr(l->builder, word, make_i64(l, l->kind.integer), "");
  replace_by(call, LLVMBuildIntToPtr(l->builder, word, cn_ref_type(l->ctx), ""));
}

static LLVMValueRef comparable_word_of(const struct tag_lowering *l, LLVMValueRef operand)
{
  if (!LLVMIsAConstantInt(operand))
    return source_word_of(l, operand);
  uint64_t up = raised_bits_of(l, operand);
  bool fits = (uint64_t)((int64_t)up >> l->kind.integer_bits) == LLVMConstIntGetZExtValue(operand);
  return fits ? make_i64(l, up | l->kind.integer) : NULL;
}

/* Compare the words instead of the integers, because words and integers have equal signed and unsigned orders. */
static void lower_comparison(struct tag_lowering *l, LLVMValueRef compare)
{
  LLVMValueRef a = comparable_word_of(l, LLVMGetOperand(compare, 0)),
               b = comparable_word_of(l, LLVMGetOperand(compare, 1));

  if (!a || !b)
    return;
  LLVMSetOperand(compare, 0, a);
  LLVMSetOperand(compare, 1, b);
}

static void lower_comparisons(struct tag_lowering *l)
{
  CN_EACH_FUNCTION(f, l->ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsAICmpInst(i) && (source_word_of(l, LLVMGetOperand(i, 0)) || source_word_of(l, LLVMGetOperand(i, 1))))
          lower_comparison(l, i);
}

/* ---- tests of an immediate's low bits ---- */

/* A comparison of bits of an integer that a word has: (integer & mask) == bits, or != if `equal` is false. */
struct bits_test {
  LLVMValueRef word;
  uint64_t mask, bits;
  bool equal;
};

static bool is_call_of_tag(LLVMValueRef value, enum tag tag)
{
  LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
  size_t length;

  return callee && strcmp(LLVMGetValueName2(callee, &length), tag_function_names[tag]) == 0;
}

static bool read_bits_test(LLVMValueRef compare, struct bits_test *test)
{
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
  LLVMValueRef masked = LLVMGetOperand(compare, 0), bits = LLVMGetOperand(compare, 1);

  if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) || !LLVMIsAConstantInt(bits) || !LLVMIsAInstruction(masked) ||
      LLVMGetInstructionOpcode(masked) != LLVMAnd || !LLVMIsAConstantInt(LLVMGetOperand(masked, 1)) ||
      !is_call_of_tag(LLVMGetOperand(masked, 0), TAG_VALUE_OF_IMMEDIATE))
    return false;
  *test = (struct bits_test){LLVMGetOperand(LLVMGetOperand(masked, 0), 0),
                             LLVMConstIntGetZExtValue(LLVMGetOperand(masked, 1)), LLVMConstIntGetZExtValue(bits),
                             predicate == LLVMIntEQ};
  bool one_bit = (test->mask & (test->mask - 1)) == 0;
  if (one_bit && test->bits == 0) {
    test->bits = test->mask;
    test->equal = !test->equal;
  }
  return test->mask >> 62 == 0;
}

/* Is `value` cairn.tag.is(word) or, unless `equal`, its negation? */
static bool is_kind_test(LLVMValueRef value, LLVMValueRef word, bool equal)
{
  if (!equal) {
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMXor)
      return false;
    value = LLVMGetOperand(value, 0); /* the other operand is true: the only constant of i1 that changes a bit */
  }
  return is_call_of_tag(value, TAG_IS_IMMEDIATE) && LLVMGetOperand(value, 0) == word;
}

/* Does `user` join a test of the kind with the test `compare`: as "and" if it is for equality, else as "or"? */
static bool joins_kind_test(LLVMValueRef user, LLVMValueRef compare, const struct bits_test *test)
{
  LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
  LLVMValueRef a = LLVMGetOperand(user, 0), b = LLVMGetOperand(user, 1);

  if (opcode == (test->equal ? LLVMAnd : LLVMOr))
    return is_kind_test(a == compare ? b : a, test->word, test->equal);
  if (opcode != LLVMSelect || LLVMTypeOf(user) != LLVMTypeOf(compare))
    return false;
  LLVMValueRef other = LLVMGetOperand(user, 2), left = test->equal ? other : b, right = test->equal ? b : other;
  return LLVMIsAConstantInt(left) && LLVMConstIntGetZExtValue(left) == !test->equal &&
         (a == compare || right == compare) && is_kind_test(a == compare ? right : a, test->word, test->equal);
}

static void join_tests(struct tag_lowering *l, LLVMValueRef user, const struct bits_test *test)
{
  LLVMPositionBuilderBefore(l->builder, user);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(user));
  LLVMValueRef address = LLVMBuildPtrToInt(l->builder, test->word, LLVMInt64TypeInContext(l->ctx->llvm), "");
  LLVMValueRef bits =
      LLVMBuildAnd(l->builder, address, make_i64(l, test->mask << l->kind.integer_bits | tag_bits_mask(l)), "");
  LLVMValueRef joined = LLVMBuildICmp(l->builder, test->equal ? LLVMIntEQ : LLVMIntNE, bits,
                                      make_i64(l, test->bits << l->kind.integer_bits | l->kind.integer), "");
  replace_by(user, joined);
}

static void join_tests_of(struct tag_lowering *l, LLVMValueRef compare)
{
  struct bits_test test;
  LLVMUseRef next;

  if (!read_bits_test(compare, &test))
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(compare); use; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (joins_kind_test(user, compare, &test)) {
      join_tests(l, user, &test);
      next = LLVMGetFirstUse(compare);
    }
  }
}

static void delete_dead_test(LLVMValueRef compare)
{
  LLVMValueRef masked = LLVMGetOperand(compare, 0);

  LLVMInstructionEraseFromParent(compare);
  if (LLVMIsAInstruction(masked) && LLVMGetInstructionOpcode(masked) == LLVMAnd && !LLVMGetFirstUse(masked))
    LLVMInstructionEraseFromParent(masked);
}

/* A language tells kinds of immediates by low bits of the integer: "an immediate, and the bits are so" is one
 * comparison of the word if each immediate has the integers' ending. */
static void lower_bits_tests(struct tag_lowering *l)
{
  if (l->kind.reference_bits != 1 || l->kind.integer_bits != 1)
    return;
  CN_EACH_FUNCTION(f, l->ctx->module)
    CN_EACH_BLOCK(b, f)
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        if (LLVMIsAICmpInst(i))
          join_tests_of(l, i);
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAICmpInst(i) && !LLVMGetFirstUse(i))
          delete_dead_test(i);
      }
}

/* ---- calls ---- */

static void lower_calls(struct tag_lowering *l, enum tag tag)
{
  static void (*const lower[TAG_COUNT])(struct tag_lowering *, LLVMValueRef) = {lower_tag_from, lower_tag_is,
                                                                                lower_tag_value};
  LLVMValueRef function = LLVMGetNamedFunction(l->ctx->module, tag_function_names[tag]);

  if (!function)
    return;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function));) {
    LLVMValueRef call = LLVMGetUser(use);
    CN_CHECK(is_call_of(call, function)); /* find_used_function() has checked the calls */
    LLVMPositionBuilderBefore(l->builder, call);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
    lower[tag](l, call);
  }
  LLVMDeleteFunction(function);
}

/* LLVM lists each pointer of deoptimisation state as a root, also constant immediates, for which a root has no place.
 * As integers they are recorded, and nothing is listed. */
static void unlist_deopt_constants(LLVMValueRef call)
{
  uint32_t first, end;

  if (!cn_calls_find_bundle(call, "deopt", &first, &end))
    return;
  for (uint32_t i = first; i < end; i++) {
    LLVMValueRef operand = LLVMGetOperand(call, i);
    if (LLVMIsAConstantExpr(operand) && LLVMGetConstOpcode(operand) == LLVMIntToPtr)
      LLVMSetOperand(call, i, LLVMGetOperand(operand, 0));
  }
}

static void lower_deopt_constants(struct tag_lowering *l)
{
  CN_EACH_FUNCTION(f, l->ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
          unlist_deopt_constants(i);
}

/* Make verify-safepoints refuse the module, because it would mistake integers for addresses. */
static void mark_lowered(struct cn_ctx *ctx)
{
  LLVMAddNamedMetadataOperand(ctx->module, CN_WORDS_LOWERED, LLVMMDNodeInContext(ctx->llvm, NULL, 0));
}

/* Lower cairn.tag.value first, so that comparisons and sums of integers find the words. */
static void lower_tags(struct tag_lowering *l)
{
  lower_bits_tests(l);
  lower_calls(l, TAG_VALUE_OF_IMMEDIATE);
  lower_comparisons(l);
  lower_calls(l, TAG_IS_IMMEDIATE); /* is_made_immediate() needs the calls of cairn.tag.from */
  lower_calls(l, TAG_FROM_INTEGER);
  cn_ptrmap_free(&l->words);
}

bool cn_lower_tags(struct cn_ctx *ctx)
{
  struct tag_lowering l = {.ctx = ctx, .kind = cn_words(ctx)};
  bool any = false;

  for (enum tag tag = TAG_FROM_INTEGER; tag < TAG_COUNT; tag++)
    any |= find_used_function(ctx, tag) != NULL;
  if (ctx->errors)
    return false;
  l.builder = LLVMCreateBuilderInContext(ctx->llvm);
  any |= cn_boxes_lower(ctx, l.builder);
  if (l.kind.reference_bits != 0)
    lower_tags(&l);
  if (any || l.kind.reference_bits != 0)
    lower_deopt_constants(&l);
  LLVMDisposeBuilder(l.builder);
  if (any)
    mark_lowered(ctx);
  return ctx->errors == 0;
}
