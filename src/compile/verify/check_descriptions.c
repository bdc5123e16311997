/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks statepoints' descriptions of the locals that hold references and of roots by tag (abi.def, "Described
 * allocas"). Needs: nothing. Provides: diagnostic described-tail; the listed words, for stale_words.c. Breaks: nothing.
 *
 * The description is the tail of the deopt bundle. The checks find the tail from its end, because its last operand is
 * its length; its first operand is the mark. The tail must be well formed, areas must lie within their allocas, and
 * each reference of an alloca's type must lie in an area.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/verify.h"

enum { WORD_BYTES = 8 };
/* Maximum number of words of an alloca; the rewriter refuses larger allocas. */
#define MAX_LOCAL_WORDS (UINT64_C(1) << 20)

/* The operands [first, end) of the tail of `statepoint`; `end` is the index of the length operand. */
struct description_tail {
  struct cn_verifier *v;
  LLVMValueRef statepoint;
  uint32_t first, end;
  const char *wrong;
};

static bool read_number(LLVMValueRef value, uint64_t *out)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *out = LLVMConstIntGetZExtValue(value);
  return true;
}

uint32_t cn_verify_end_before_tail(LLVMValueRef statepoint, uint64_t mark, uint32_t first, uint32_t end)
{
  uint64_t length, word;

  return first < end && read_number(LLVMGetOperand(statepoint, end - 1), &length) && length >= 2 &&
                 length < end - first && read_number(LLVMGetOperand(statepoint, end - 1 - (uint32_t)length), &word) &&
                 word == mark
             ? end - 1 - (uint32_t)length
             : end;
}

/* True if the statepoint has a tail. A mark that is not at the index that the length gives is an error. */
static bool find_description_tail(struct description_tail *tail)
{
  uint32_t first, end;
  uint64_t mark;

  if (!cn_calls_find_bundle(tail->statepoint, "deopt", &first, &end))
    return false;
  end = cn_verify_end_before_tail(tail->statepoint, CAIRN_ABI_SPAN_MARK, first, end);
  tail->first = cn_verify_end_before_tail(tail->statepoint, CAIRN_ABI_ALLOCA_MARK, first, end);
  if (tail->first < end) {
    tail->end = end - 1;
    return true;
  }
  for (uint32_t i = first; i < end; i++)
    if (read_number(LLVMGetOperand(tail->statepoint, i), &mark) && mark == CAIRN_ABI_ALLOCA_MARK)
      tail->wrong = "has its mark, but at another place than its length says";
  return false;
}

static uint64_t word_count_of(const struct description_tail *tail, LLVMValueRef alloca)
{
  uint64_t each, count = 1;

  if (!LLVMTypeIsSized(LLVMGetAllocatedType(alloca)) ||
      LLVMGetTypeKind(LLVMGetAllocatedType(alloca)) == LLVMScalableVectorTypeKind ||
      !read_number(LLVMGetOperand(alloca, 0), &count))
    return 0;
  each = LLVMABISizeOfType(tail->v->ctx->layout, LLVMGetAllocatedType(alloca));
  if (__builtin_mul_overflow(each, count, &each) || each / WORD_BYTES > MAX_LOCAL_WORDS)
    return 0;
  return each / WORD_BYTES;
}

/* Read a root by tag, which follows an area without references: its offset, tag and parameter. False if it is
 * malformed. */
static bool read_user_word(struct description_tail *tail, uint32_t *at, uint64_t words)
{
  CN_CHECK(*at >= tail->first + 4);
  LLVMValueRef alloca = LLVMGetOperand(tail->statepoint, *at - 4);
  uint64_t offset, tag, parameter;

  if (tail->end - *at < 3 || !read_number(LLVMGetOperand(tail->statepoint, *at), &offset) ||
      !read_number(LLVMGetOperand(tail->statepoint, *at + 1), &tag) ||
      !read_number(LLVMGetOperand(tail->statepoint, *at + 2), &parameter))
    return false;
  *at += 3;
  if (offset % WORD_BYTES || offset / WORD_BYTES >= words || tag < CAIRN_ABI_ROOT_USER)
    return false;
  cn_stale_words_add(&tail->v->words, alloca, offset / WORD_BYTES, words);
  return true;
}

/* Read an area and set the bits of its words in `bits`, which has `words` bits if the alloca's size is constant. False
 * if the area is malformed. */
static bool read_described_area(struct description_tail *tail, uint32_t *at, uint64_t *bits, uint64_t words)
{
  uint64_t count, stride, refs, offset;

  if (tail->end - *at < 4 || !LLVMIsAAllocaInst(LLVMGetOperand(tail->statepoint, *at)) ||
      !read_number(LLVMGetOperand(tail->statepoint, *at + 1), &count) ||
      !read_number(LLVMGetOperand(tail->statepoint, *at + 2), &stride) ||
      !read_number(LLVMGetOperand(tail->statepoint, *at + 3), &refs))
    return false;
  *at += 4;
  if (!refs)
    return read_user_word(tail, at, words);
  if (refs > tail->end - *at || stride % WORD_BYTES || count > MAX_LOCAL_WORDS || stride > MAX_LOCAL_WORDS * WORD_BYTES)
    return false;
  for (; refs; refs--, ++*at) {
    if (!read_number(LLVMGetOperand(tail->statepoint, *at), &offset) || offset % WORD_BYTES)
      return false;
    for (uint64_t c = 0; c < count && words; c++) {
      uint64_t word = (offset + c * stride) / WORD_BYTES;
      if (word < words)
        cn_bitset_add(bits, word);
      else if (c + 1 < count || !stride)
        return false; /* the last repetition may be incomplete */
    }
  }
  return true;
}

static bool areas_cover_refs(const struct description_tail *tail, LLVMTypeRef type, uint64_t offset,
                             const uint64_t *bits, uint64_t words)
{
  LLVMTargetDataRef layout = tail->v->ctx->layout;

  if (!cn_holds_ref(type))
    return true;
  switch (LLVMGetTypeKind(type)) {
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t count = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      if (!areas_cover_refs(tail, element, offset + i * LLVMABISizeOfType(layout, element), bits, words))
        return false;
    return true;
  }
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!areas_cover_refs(tail, LLVMStructGetTypeAtIndex(type, i), offset + LLVMOffsetOfElement(layout, type, i),
                            bits, words))
        return false;
    return true;
  default:
    return offset / WORD_BYTES >= words || cn_bitset_contains(bits, offset / WORD_BYTES);
  }
}

static void read_local_areas(struct description_tail *tail, uint32_t *at, uint64_t *areas)
{
  LLVMValueRef alloca = LLVMGetOperand(tail->statepoint, *at);

  if (!LLVMIsAAllocaInst(alloca)) {
    tail->wrong = "names a value that is not a local";
    return;
  }
  uint64_t words = word_count_of(tail, alloca), one;
  uint64_t *bits = cn_alloc(CN_BITSET_WORDS(words + 1) * sizeof *bits);
  while (!tail->wrong && *areas && *at < tail->end && LLVMGetOperand(tail->statepoint, *at) == alloca) {
    if (!read_described_area(tail, at, bits, words))
      tail->wrong = "has an area that makes no sense";
    --*areas;
  }
  if (!tail->wrong && words && read_number(LLVMGetOperand(alloca, 0), &one) && one == 1 &&
      !areas_cover_refs(tail, LLVMGetAllocatedType(alloca), 0, bits, words))
    tail->wrong = "leaves out a reference in a local";
  free(bits);
}

static void read_description_tail(struct description_tail *tail)
{
  uint32_t at = tail->first + 2;
  uint64_t areas;

  if (!read_number(LLVMGetOperand(tail->statepoint, tail->first + 1), &areas)) {
    tail->wrong = "lacks the number of its areas";
    return;
  }
  while (areas && at < tail->end && !tail->wrong)
    read_local_areas(tail, &at, &areas);
  CN_CHECK(at <= tail->end);
  if (!tail->wrong && (areas || at != tail->end))
    tail->wrong = "has another number of areas than it says";
}

static bool lists_user_word(const struct description_tail *tail, LLVMValueRef alloca, uint64_t offset,
                            LLVMValueRef marker)
{
  uint64_t tag = LLVMConstIntGetZExtValue(LLVMGetOperand(marker, 1)), other, its_tag;

  for (uint32_t o = tail->first; o + 6 < tail->end; o++)
    if (LLVMGetOperand(tail->statepoint, o) == alloca && LLVMIsNull(LLVMGetOperand(tail->statepoint, o + 3)) &&
        read_number(LLVMGetOperand(tail->statepoint, o + 4), &other) && other == offset &&
        read_number(LLVMGetOperand(tail->statepoint, o + 5), &its_tag) && its_tag == tag &&
        LLVMGetOperand(tail->statepoint, o + 6) == LLVMGetOperand(marker, 2))
      return true;
  return false;
}

/* Check that the description lists each root by tag that the function marks (user_roots.c). */
static void check_user_words(struct description_tail *tail)
{
  LLVMValueRef marker = LLVMGetNamedFunction(tail->v->ctx->module, CN_USER_ROOT);

  for (LLVMUseRef use = marker ? LLVMGetFirstUse(marker) : NULL; use && !tail->wrong; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    uint64_t offset = 0;
    if (!LLVMIsACallInst(call) || LLVMGetNumArgOperands(call) != 3 || !LLVMIsAConstantInt(LLVMGetOperand(call, 1)) ||
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != tail->v->function)
      continue;
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    while (LLVMIsAGetElementPtrInst(pointer) && cn_types_gep_offset(tail->v->ctx, pointer, &offset))
      pointer = LLVMGetOperand(pointer, 0);
    if (!lists_user_word(tail, pointer, offset, call))
      tail->wrong = "leaves out a user root";
  }
}

void cn_verify_descriptions(struct cn_verifier *v, LLVMValueRef statepoint)
{
  struct description_tail tail = {.v = v, .statepoint = statepoint};
  char call[160];

  if (find_description_tail(&tail))
    read_description_tail(&tail);
  if (!tail.wrong)
    check_user_words(&tail);
  if (tail.wrong)
    cn_error(v->ctx, statepoint, "described-tail", "the description of locals at %s %s",
             cn_verify_name_statepoint(statepoint, call, sizeof call), tail.wrong);
}
