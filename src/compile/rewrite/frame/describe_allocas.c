/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes locals in memory that hold references: address-taken locals, the slots of demoted references (demote.c),
 * and roots by tag (user_root_markers.c). Part of rewrite-statepoints. The locals stay in the frame, and the collector
 * updates their references by the deopt bundle of every statepoint (abi.def, "Described allocas"). The locals escape at
 * entry, so that LLVM forwards stored references only up to the next statepoint (docs/llvm-22.md, "forwarding"). The
 * locals are zeroed at entry, so that every statepoint finds null or a reference in each word. The locals lose their
 * lifetime markers, because the code generator would otherwise give several locals one place.
 *
 * Needs: references are demoted; struct cn_described_allocas with the number of slots that the entry stores, which need
 * no zeroing. Provides: deopt operands that describe the locals and words; an error if roots must be pairs. Breaks:
 * only the order of allocas.
 */
#include <stdlib.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/markers/markers.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/values/refs.h"

enum { WORD_BYTES = CN_ALLOCA_WORD_BYTES };

static LLVMValueRef i64_constant_of(struct cn_ctx *ctx, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), n, false);
}

/* Append the operands of an area: `count` elements of `stride` bytes, each with references at the set bits in [first,
 * first + period).
 */
static void append_area_operands(struct cn_ctx *ctx, struct cn_described_allocas *out,
                                 const struct cn_alloca_layout *map, uint64_t first, uint64_t period, uint64_t count)
{
  uint64_t refs = 0;

  for (uint64_t w = first; w < first + period; w++)
    refs += cn_bitset_contains(map->bits, w);
  cn_push(&out->operands, map->alloca);
  cn_push(&out->operands, i64_constant_of(ctx, count));
  cn_push(&out->operands, i64_constant_of(ctx, period * WORD_BYTES));
  cn_push(&out->operands, i64_constant_of(ctx, refs));
  for (uint64_t w = first; w < first + period; w++)
    if (cn_bitset_contains(map->bits, w))
      cn_push(&out->operands, i64_constant_of(ctx, w * WORD_BYTES));
}

/* The shortest period of the bits [first, first + length), by the failure function of Knuth, Morris and Pratt. */
static uint64_t shortest_bit_period_of(const struct cn_alloca_layout *map, uint64_t first, uint64_t length)
{
  uint64_t *border = cn_alloc((length + 1) * sizeof *border);
  uint64_t k = 0;

  for (uint64_t i = 1; i < length; i++) {
    while (k && cn_bitset_contains(map->bits, first + i) != cn_bitset_contains(map->bits, first + k))
      k = border[k];
    if (cn_bitset_contains(map->bits, first + i) == cn_bitset_contains(map->bits, first + k))
      k++;
    border[i + 1] = k;
  }
  uint64_t period = length - border[length];
  free(border);
  return period;
}

/* Describe one alloca by the fewest areas that its repetition allows. Returns the number of areas. */
static uint64_t describe_alloca(struct cn_ctx *ctx, struct cn_described_allocas *out,
                                const struct cn_alloca_layout *map)
{
  uint64_t first = 0, last = map->words;

  while (!cn_bitset_contains(map->bits, first))
    first++;
  while (!cn_bitset_contains(map->bits, last - 1))
    last--;
  uint64_t length = last - first, period = shortest_bit_period_of(map, first, length);
  uint64_t count = length / period, rest = length % period;
  bool padded = rest > 0; /* the last repetition is shorter, and the missing words hold no references */
  for (uint64_t w = rest; w < period; w++)
    padded &= !cn_bitset_contains(map->bits, first + w);
  append_area_operands(ctx, out, map, first, period, count + padded);
  if (!rest || padded)
    return 1;
  append_area_operands(ctx, out, map, first + count * period, rest, 1);
  return 2;
}

/* Move `alloca` to the top of the entry block, so that it dominates every statepoint. */
static void hoist_alloca(LLVMBuilderRef builder, LLVMValueRef alloca, LLVMValueRef *after)
{
  LLVMBasicBlockRef entry = LLVMGetInstructionParent(alloca);
  LLVMValueRef next = *after ? LLVMGetNextInstruction(*after) : LLVMGetFirstInstruction(entry);
  size_t length;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (next != alloca) {
    char *name = cn_strdup(LLVMGetValueName2(alloca, &length));
    LLVMInstructionRemoveFromParent(alloca);
    LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, next);
    LLVMInsertIntoBuilderWithName(builder, alloca, name);
    free(name);
  }
  *after = alloca;
}

static void delete_lifetime_markers(LLVMValueRef pointer)
{
  for (LLVMUseRef use = LLVMGetFirstUse(pointer), next; use; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (cn_calls_intrinsic(user, "llvm.lifetime.start") || cn_calls_intrinsic(user, "llvm.lifetime.end"))
      LLVMInstructionEraseFromParent(user);
  }
}

static void zero_words_from(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_alloca_layout *map,
                            uint64_t first)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(ctx->llvm);
  LLVMValueRef start = map->alloca, offset = i64_constant_of(ctx, first * WORD_BYTES);

  if (first == map->words)
    return;
  if (first)
    start = LLVMBuildInBoundsGEP2(builder, byte, start, &offset, 1, "");
  LLVMBuildMemSet(builder, start, LLVMConstInt(byte, 0, false), i64_constant_of(ctx, (map->words - first) * WORD_BYTES),
                  first ? WORD_BYTES : LLVMGetAlignment(map->alloca));
}

static void escape_local(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef alloca)
{
  LLVMTypeRef pointer = LLVMTypeOf(alloca);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), &pointer, 1, false);
  static const char constraints[] = "r,~{memory}";
  LLVMValueRef escape =
      LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, true, false, LLVMInlineAsmDialectATT, false);

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  LLVMBuildCall2(builder, type, escape, &alloca, 1, "");
}

static void zero_and_escape_alloca(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_alloca_layout *map,
                                   const struct cn_ptrmap *stored)
{
  const uint64_t *first = cn_ptrmap_find(stored, map->alloca);

  if (LLVMGetAlignment(map->alloca) < WORD_BYTES)
    LLVMSetAlignment(map->alloca, WORD_BYTES);
  zero_words_from(ctx, builder, map, first ? *first : 0);
  escape_local(ctx, builder, map->alloca);
}

/* ---- the language's own words ---- */

static void append_user_root_operands(struct cn_ctx *ctx, struct cn_described_allocas *out,
                                      const struct cn_user_root *root)
{
  cn_push(&out->operands, root->alloca);
  cn_push(&out->operands, i64_constant_of(ctx, 1));
  cn_push(&out->operands, i64_constant_of(ctx, WORD_BYTES));
  cn_push(&out->operands, i64_constant_of(ctx, 0));
  cn_push(&out->operands, i64_constant_of(ctx, root->offset));
  cn_push(&out->operands, root->tag);
  cn_push(&out->operands, root->parameter);
}

static bool has_user_roots(const struct cn_user_roots *words, LLVMValueRef alloca)
{
  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  for (size_t i = 0; i < words->at.count; i++)
    if (words->at.at[i].alloca == alloca)
      return true;
  return false;
}

static bool is_described(const struct cn_alloca_layout *map, const struct cn_user_roots *words)
{
  return cn_alloca_layout_holds_refs(map) || has_user_roots(words, map->alloca);
}

static void describe_allocas_and_words(struct cn_ctx *ctx, struct cn_described_allocas *out,
                                       const struct cn_alloca_layouts *maps, const struct cn_user_roots *words)
{
  uint64_t areas = words->at.count;

  cn_push(&out->operands, i64_constant_of(ctx, CAIRN_ABI_ALLOCA_MARK));
  cn_push(&out->operands, NULL);
  for (size_t i = 0; i < maps->maps.count; i++)
    if (cn_alloca_layout_holds_refs(&maps->maps.at[i]))
      areas += describe_alloca(ctx, out, &maps->maps.at[i]);
  for (size_t i = 0; i < words->at.count; i++)
    append_user_root_operands(ctx, out, &words->at.at[i]);
  out->operands.at[1] = i64_constant_of(ctx, areas);
  uint64_t length = out->operands.count;
  cn_push(&out->operands, i64_constant_of(ctx, length));
  if (!areas)
    cn_free(&out->operands);
}

void cn_describe_allocas(struct cn_ctx *ctx, LLVMValueRef function, struct cn_described_allocas *out)
{
  struct cn_alloca_layouts maps;
  struct cn_user_roots words;
  LLVMValueRef last = NULL;

  CN_ASSERT(LLVMIsAFunction(function));
  cn_alloca_layouts_find(ctx, function, &maps);
  if (!maps.maps.count)
    return;
  cn_user_roots_find(ctx, function, &words);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  describe_allocas_and_words(ctx, out, &maps, &words);
  if (out->operands.count && cn_pairs_are_required(ctx))
    cn_error(ctx, function, "roots-pairs", "an object in the frame holds references, where no pair describes them");
  for (size_t i = 0; i < maps.maps.count; i++)
    if (is_described(&maps.maps.at[i], &words)) {
      hoist_alloca(builder, maps.maps.at[i].alloca, &last);
      delete_lifetime_markers(maps.maps.at[i].alloca);
    }
  if (last)
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(last));
  for (size_t i = 0; last && i < maps.maps.count; i++)
    if (is_described(&maps.maps.at[i], &words))
      zero_and_escape_alloca(ctx, builder, &maps.maps.at[i], &out->stored);
  cn_free(&words.at);
  cn_alloca_layouts_free(&maps);
  LLVMDisposeBuilder(builder);
}
