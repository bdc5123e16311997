/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces sums of a base and a distance by the original references. Part of strip-statepoints. Demotion (demote.c,
 * pad_phis.c) turns derived references into such sums. A remaining distance would be an integer made of references,
 * which an optimiser may compute at any place.
 *
 * Needs: slots that are values again (strip_slots.c). Provides: distances of the rewriter are unused, except for
 * distances that an optimiser has changed. Breaks: nothing.
 *
 * After the promotion of slots, distances that pad_phis.c kept in memory are phis beside the phis of their bases. A
 * pair of a distance phi and a base phi becomes one phi of references if each pair of operands is a reference.
 */
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/strip/strip.h"

struct distance_pair {
  LLVMValueRef base, distance;
  LLVMValueRef reference; /* base + distance; null before it is found */
  size_t next, first;     /* the previous pair with this distance; for a phi, the first of its operands */
  bool lost;              /* the reference cannot be found */
};

struct distance_folder {
  LLVMValueRef ptrdiff; /* the function, or null */
  CN_VECTOR(LLVMValueRef) geps;
  CN_VECTOR(size_t) wanted; /* per gep: its pair */
  CN_VECTOR(struct distance_pair) pairs;
  CN_VECTOR(size_t) operands; /* operands of the pairs of phis, one for each edge */
  struct cn_ptrmap known;     /* distance -> 1 + the index of its last pair */
};

static bool is_byte_gep(LLVMValueRef i)
{
  if (!LLVMIsAGetElementPtrInst(i) || LLVMGetNumOperands(i) != 2 || !cn_is_ref(LLVMTypeOf(i)))
    return false;
  LLVMTypeRef stride = LLVMGetGEPSourceElementType(i);
  LLVMTypeRef index = LLVMTypeOf(LLVMGetOperand(i, 1));
  return LLVMGetTypeKind(stride) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(stride) == 8 &&
         LLVMGetTypeKind(index) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(index) == 64;
}

/* The reference at `distance` from `base`, or null if it is not found directly. */
static LLVMValueRef derived_reference_of(const struct distance_folder *f, LLVMValueRef base, LLVMValueRef distance)
{
  LLVMValueRef ends[2];

  if (LLVMIsNull(distance) || LLVMIsUndef(distance) || LLVMIsUndef(base))
    return base;
  if (f->ptrdiff && LLVMIsACallInst(distance) && LLVMGetCalledValue(distance) == f->ptrdiff) {
    ends[0] = LLVMGetOperand(distance, 0);
    ends[1] = LLVMGetOperand(distance, 1);
  } else if (!cn_differences_match(distance, ends)) {
    return NULL;
  }
  return ends[1] == base && LLVMTypeOf(ends[0]) == LLVMTypeOf(base) ? ends[0] : NULL;
}

static size_t find_or_add_pair(struct distance_folder *f, LLVMValueRef base, LLVMValueRef distance)
{
  uint64_t *last = cn_ptrmap_add(&f->known, distance, NULL);

  for (size_t at = (size_t)*last; at; at = f->pairs.at[at - 1].next)
    if (f->pairs.at[at - 1].base == base)
      return at - 1;
  struct distance_pair pair = {
      .base = base, .distance = distance, .reference = derived_reference_of(f, base, distance), .next = (size_t)*last};
  pair.lost = !pair.reference && !LLVMIsAPHINode(distance);
  cn_push(&f->pairs, pair);
  *last = f->pairs.count;
  return f->pairs.count - 1;
}

static LLVMValueRef incoming_base_of(LLVMValueRef base, LLVMValueRef phi, unsigned n)
{
  LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);

  CN_ASSERT(LLVMIsAPHINode(phi));
  if (!LLVMIsAPHINode(base) || LLVMGetInstructionParent(base) != LLVMGetInstructionParent(phi))
    return base;
  for (unsigned i = 0; i < LLVMCountIncoming(base); i++)
    if (LLVMGetIncomingBlock(base, i) == from)
      return LLVMGetIncomingValue(base, i);
  return base;
}

static void gather_distance_pairs(struct distance_folder *f)
{
  for (size_t i = 0; i < f->geps.count; i++)
    cn_push(&f->wanted, find_or_add_pair(f, LLVMGetOperand(f->geps.at[i], 0), LLVMGetOperand(f->geps.at[i], 1)));
  for (size_t i = 0; i < f->pairs.count; i++) {
    LLVMValueRef base = f->pairs.at[i].base, distance = f->pairs.at[i].distance;
    if (f->pairs.at[i].reference || f->pairs.at[i].lost)
      continue;
    f->pairs.at[i].first = f->operands.count;
    for (unsigned n = 0; n < LLVMCountIncoming(distance); n++)
      cn_push(&f->operands,
              find_or_add_pair(f, incoming_base_of(base, distance, n), LLVMGetIncomingValue(distance, n)));
  }
}

/* Mark each phi with a lost operand as lost. Operands mostly follow their phis in the list, so the loop runs
 * backwards. */
static void propagate_lost_pairs(struct distance_folder *f)
{
  for (bool more = true; more;) {
    more = false;
    for (size_t i = f->pairs.count; i--;) {
      struct distance_pair *pair = &f->pairs.at[i];
      if (pair->reference || pair->lost)
        continue;
      for (unsigned n = 0; n < LLVMCountIncoming(pair->distance) && !pair->lost; n++)
        pair->lost = f->pairs.at[f->operands.at[pair->first + n]].lost;
      more |= pair->lost;
    }
  }
}

static void build_reference_phis(struct distance_folder *f)
{
  CN_CHECK(f->wanted.count == f->geps.count);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(f->geps.at[0]));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  CN_VECTOR(size_t) built = {0};

  for (size_t i = 0; i < f->pairs.count; i++) {
    struct distance_pair *pair = &f->pairs.at[i];
    if (pair->reference || pair->lost)
      continue;
    LLVMPositionBuilderBefore(builder, pair->distance);
    pair->reference = LLVMBuildPhi(builder, LLVMTypeOf(pair->base), "");
    cn_push(&built, i);
  }
  for (size_t b = 0; b < built.count; b++) {
    const struct distance_pair *pair = &f->pairs.at[built.at[b]];
    for (unsigned n = 0; n < LLVMCountIncoming(pair->distance); n++) {
      LLVMValueRef value = f->pairs.at[f->operands.at[pair->first + n]].reference;
      CN_CHECK(value);
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(pair->distance, n);
      LLVMAddIncoming(pair->reference, &value, &from, 1);
    }
  }
  cn_free(&built);
  LLVMDisposeBuilder(builder);
}

/* A pair's reference may be another replaced gep: the loop follows such references to a value that stays. */
static LLVMValueRef final_reference_of(const struct distance_folder *f, const struct cn_ptrmap *index, size_t gep)
{
  LLVMValueRef reference = f->pairs.at[f->wanted.at[gep]].reference;

  for (size_t steps = 0; steps < f->geps.count; steps++) {
    const uint64_t *next = cn_ptrmap_find(index, reference);
    if (!next || !f->pairs.at[f->wanted.at[*next]].reference)
      return reference;
    reference = f->pairs.at[f->wanted.at[*next]].reference;
  }
  return NULL; /* a cycle, in dead code */
}

static void replace_geps(struct distance_folder *f)
{
  struct cn_ptrmap index = {0};
  CN_VECTOR(LLVMValueRef) to = {0};

  for (size_t i = 0; i < f->geps.count; i++)
    *cn_ptrmap_add(&index, f->geps.at[i], NULL) = i;
  for (size_t i = 0; i < f->geps.count; i++)
    cn_push(&to, f->pairs.at[f->wanted.at[i]].reference ? final_reference_of(f, &index, i) : NULL);
  for (size_t i = 0; i < f->geps.count; i++)
    if (to.at[i])
      LLVMReplaceAllUsesWith(f->geps.at[i], to.at[i]);
  cn_free(&to);
  cn_ptrmap_free(&index);
}

void cn_strip_fold_distances(LLVMValueRef function)
{
  struct distance_folder f = {.ptrdiff = LLVMGetNamedFunction(LLVMGetGlobalParent(function), CN_PTRDIFF)};

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_byte_gep(i))
        cn_push(&f.geps, i);
  if (f.geps.count) {
    gather_distance_pairs(&f);
    propagate_lost_pairs(&f);
    build_reference_phis(&f);
    replace_geps(&f);
  }
  cn_free(&f.geps);
  cn_free(&f.wanted);
  cn_free(&f.pairs);
  cn_free(&f.operands);
  cn_ptrmap_free(&f.known);
}
