/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the parts of vectors and aggregates of references by the kind of their definition, for aggregates.c. Part of
 * rewrite-statepoints. Needs: the values of a struct cn_aggregate_splitter. Provides: cn_parts_of(). Breaks: nothing;
 * it adds instructions only.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/rewrite/values/aggregates.h"

void cn_parts_delete_if_unused(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  bool fresh;

  cn_ptrmap_add(&s->mortal, value, &fresh);
  if (fresh)
    cn_push(&s->dead, value);
}

/* ---- types ---- */

static uint32_t element_count(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMStructTypeKind:
    return LLVMCountStructElementTypes(type);
  case LLVMArrayTypeKind:
    return (uint32_t)LLVMGetArrayLength2(type);
  case LLVMVectorTypeKind:
    return LLVMGetVectorSize(type);
  default:
    return 0;
  }
}

static LLVMTypeRef element_type(LLVMTypeRef type, uint32_t i)
{
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type);
}

static bool is_vector(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

uint32_t cn_part_count(LLVMTypeRef type)
{
  uint32_t count = 0;

  if (!cn_holds_ref(type) || cn_is_ref(type))
    return 1;
  for (uint32_t i = 0; i < element_count(type) && count <= CN_PART_LIMIT; i++)
    count += cn_part_count(element_type(type, i));
  return count;
}

uint32_t cn_parts_first_of_component(LLVMValueRef instruction)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
  const unsigned *indices = LLVMGetIndices(instruction);
  uint32_t part = 0;

  CN_ASSERT(LLVMIsAInstruction(instruction));
  for (unsigned n = 0; n < LLVMGetNumIndices(instruction); n++) {
    CN_CHECK(indices[n] < element_count(type));
    for (unsigned i = 0; i < indices[n]; i++)
      part += cn_part_count(element_type(type, i));
    type = element_type(type, indices[n]);
  }
  return part;
}

/* ---- taking apart and putting together ---- */

static LLVMValueRef i64_constant_of(struct cn_aggregate_splitter *s, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(s->ctx->llvm), n, false);
}

static LLVMValueRef build_part_extraction(struct cn_aggregate_splitter *s, LLVMValueRef value, uint32_t i)
{
  if (LLVMIsConstant(value) && LLVMGetAggregateElement(value, i))
    return LLVMGetAggregateElement(value, i);
  return is_vector(LLVMTypeOf(value)) ? LLVMBuildExtractElement(s->builder, value, i64_constant_of(s, i), "")
                                      : LLVMBuildExtractValue(s->builder, value, i, "");
}

/* Append the parts of `value` by extracts. An undefined reference becomes null, because a live undefined reference may
 * have the contents of any register. */
static void extract_parts(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t *at)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (!cn_holds_ref(type) || cn_is_ref(type)) {
    bool undefined = cn_is_ref(type) && (LLVMIsUndef(value) || LLVMIsPoison(value));
    out[(*at)++] = undefined ? LLVMConstNull(type) : value;
    return;
  }
  for (uint32_t i = 0; i < element_count(type); i++)
    extract_parts(s, build_part_extraction(s, value, i), out, at);
}

LLVMValueRef cn_parts_build_aggregate(struct cn_aggregate_splitter *s, LLVMTypeRef type, const LLVMValueRef *parts,
                                      uint32_t *at)
{
  if (!cn_holds_ref(type) || cn_is_ref(type))
    return parts[(*at)++];
  LLVMValueRef whole = LLVMGetPoison(type);
  for (uint32_t i = 0; i < element_count(type); i++) {
    LLVMValueRef part = cn_parts_build_aggregate(s, element_type(type, i), parts, at);
    whole = is_vector(type) ? LLVMBuildInsertElement(s->builder, whole, part, i64_constant_of(s, i), "")
                            : LLVMBuildInsertValue(s->builder, whole, part, i, "");
    if (LLVMIsAInstruction(whole))
      cn_parts_delete_if_unused(s, whole);
  }
  return whole;
}

/* ---- parts by kind of definition ---- */

bool cn_parts_have_unknown_origin(LLVMValueRef value)
{
  if (LLVMIsConstant(value))
    return false;
  if (LLVMGetValueKind(value) != LLVMInstructionValueKind)
    return true;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMInsertValue:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMGetElementPtr:
    return false;
  case LLVMExtractValue:
  case LLVMExtractElement:
    return cn_parts_have_unknown_origin(LLVMGetOperand(value, 0));
  default:
    return true;
  }
}

void cn_parts_set_insertion_point(struct cn_aggregate_splitter *s, LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  LLVMPositionBuilderBefore(s->builder, instruction);
  LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* Set the builder to the place after the definition of a value of unknown origin. */
static void set_insertion_point_after(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  cn_parts_set_insertion_point(s, cn_insertion_point_after(value));
}

LLVMValueRef cn_parts_build_index_test(struct cn_aggregate_splitter *s, LLVMValueRef index, uint32_t i)
{
  return LLVMBuildICmp(s->builder, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), i, false), "");
}

static void split_insert_element(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out)
{
  struct cn_aggregate_parts vector = cn_parts_of(s, LLVMGetOperand(value, 0));
  LLVMValueRef lane = LLVMGetOperand(value, 1), index = LLVMGetOperand(value, 2);

  CN_CHECK(vector.count == cn_part_count(LLVMTypeOf(value)));
  memcpy(out, vector.at, vector.count * sizeof *out);
  cn_parts_set_insertion_point(s, value);
  for (uint32_t i = 0; i < vector.count; i++) {
    if (!LLVMIsAConstantInt(index))
      out[i] = LLVMBuildSelect(s->builder, cn_parts_build_index_test(s, index, i), lane, out[i], "");
    else if (LLVMConstIntGetZExtValue(index) == i)
      out[i] = lane;
  }
}

static void split_shuffle(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out)
{
  struct cn_aggregate_parts a = cn_parts_of(s, LLVMGetOperand(value, 0)), b = cn_parts_of(s, LLVMGetOperand(value, 1));

  for (unsigned i = 0; i < LLVMGetNumMaskElements(value); i++) {
    int from = LLVMGetMaskValue(value, i);
    CN_CHECK(from == LLVMGetUndefMaskElem() || (uint32_t)from < a.count + b.count);
    if (from == LLVMGetUndefMaskElem())
      out[i] = LLVMConstNull(LLVMGetElementType(LLVMTypeOf(value)));
    else
      out[i] = (uint32_t)from < a.count ? a.at[from] : b.at[(uint32_t)from - a.count];
  }
}

static void split_select(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  LLVMValueRef condition = LLVMGetOperand(value, 0);
  struct cn_aggregate_parts yes = cn_parts_of(s, LLVMGetOperand(value, 1)),
                            no = cn_parts_of(s, LLVMGetOperand(value, 2));
  bool each = is_vector(LLVMTypeOf(condition));

  CN_CHECK(yes.count == count && no.count == count);
  cn_parts_set_insertion_point(s, value);
  for (uint32_t i = 0; i < count; i++)
    out[i] =
        LLVMBuildSelect(s->builder, each ? build_part_extraction(s, condition, i) : condition, yes.at[i], no.at[i], "");
}

static void split_gep(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  unsigned indices = (unsigned)LLVMGetNumOperands(value) - 1;
  LLVMValueRef *lane = cn_alloc(indices * sizeof *lane);
  LLVMValueRef pointer = LLVMGetOperand(value, 0);
  struct cn_aggregate_parts pointers = cn_parts_of(s, pointer);

  CN_CHECK(pointers.count == 1 || pointers.count == count);
  cn_parts_set_insertion_point(s, value);
  for (uint32_t i = 0; i < count; i++) {
    for (unsigned n = 0; n < indices; n++) {
      LLVMValueRef index = LLVMGetOperand(value, n + 1);
      lane[n] = is_vector(LLVMTypeOf(index)) ? build_part_extraction(s, index, i) : index;
    }
    out[i] = LLVMBuildGEPWithNoWrapFlags(s->builder, LLVMGetGEPSourceElementType(value),
                                         pointers.at[pointers.count > 1 ? i : 0], lane, indices, "",
                                         LLVMGEPGetNoWrapFlags(value));
  }
  free(lane);
}

static void split_phi(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef *poison = cn_alloc(count * sizeof *poison);
  uint32_t at = 0;

  extract_parts(s, LLVMGetPoison(type), poison, &at); /* poison parts give the types */
  CN_CHECK(at == count);
  cn_parts_set_insertion_point(s, value);
  for (uint32_t i = 0; i < count; i++)
    out[i] = LLVMBuildPhi(s->builder, LLVMTypeOf(poison[i]), "");
  free(poison);
  cn_push(&s->phis, value);
}

static void split_by_instruction_kind(struct cn_aggregate_splitter *s, LLVMValueRef value, LLVMValueRef *out,
                                      uint32_t count)
{
  struct cn_aggregate_parts from;

  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMInsertValue: {
    from = cn_parts_of(s, LLVMGetOperand(value, 0));
    memcpy(out, from.at, from.count * sizeof *out);
    from = cn_parts_of(s, LLVMGetOperand(value, 1));
    memcpy(out + cn_parts_first_of_component(value), from.at, from.count * sizeof *out);
    break;
  }
  case LLVMExtractValue:
    memcpy(out, cn_parts_of(s, LLVMGetOperand(value, 0)).at + cn_parts_first_of_component(value), count * sizeof *out);
    break;
  case LLVMInsertElement:
    split_insert_element(s, value, out);
    break;
  case LLVMShuffleVector:
    split_shuffle(s, value, out);
    break;
  case LLVMSelect:
    split_select(s, value, out, count);
    break;
  case LLVMGetElementPtr:
    split_gep(s, value, out, count);
    break;
  case LLVMPHI:
    split_phi(s, value, out, count);
    break;
  case LLVMFreeze:
    from = cn_parts_of(s, LLVMGetOperand(value, 0));
    CN_CHECK(from.count == count);
    cn_parts_set_insertion_point(s, value);
    for (uint32_t i = 0; i < count; i++)
      out[i] = LLVMBuildFreeze(s->builder, from.at[i], "");
    break;
  default: /* a cast to the same type */
    memcpy(out, cn_parts_of(s, LLVMGetOperand(value, 0)).at, count * sizeof *out);
  }
}

/* Compute the parts of `value`, whose operands already have parts. */
static struct cn_aggregate_parts split_value(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  bool fresh;
  uint64_t *slot = cn_ptrmap_add(&s->split, value, &fresh);

  if (!fresh)
    return s->parts.at[*slot];
  *slot = s->parts.count;
  struct cn_aggregate_parts parts = {.count = cn_part_count(type)};
  parts.at = cn_alloc((parts.count + 1) * sizeof *parts.at);
  cn_push(&s->parts, parts);
  uint32_t at = 0;
  if (!cn_holds_ref(type) || cn_is_ref(type)) {
    parts.at[0] = value;
  } else if (cn_parts_have_unknown_origin(value) || LLVMIsConstant(value)) {
    if (!LLVMIsConstant(value))
      set_insertion_point_after(s, value);
    extract_parts(s, value, parts.at, &at);
    CN_CHECK(at == parts.count);
  } else {
    split_by_instruction_kind(s, value, parts.at, parts.count);
    cn_parts_delete_if_unused(s, value);
  }
  return parts;
}

static bool has_parts(const struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  return !cn_holds_ref(type) || cn_is_ref(type) || cn_ptrmap_find(&s->split, value);
}

static void push_operands_without_parts(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  if (LLVMIsConstant(value) || cn_parts_have_unknown_origin(value) || LLVMIsAPHINode(value))
    return;
  for (int o = 0; o < LLVMGetNumOperands(value); o++)
    if (!has_parts(s, LLVMGetOperand(value, (unsigned)o)))
      cn_push(&s->todo, LLVMGetOperand(value, (unsigned)o));
}

/* Finds the parts of operands first. Chains may be long, so a list replaces recursion. */
struct cn_aggregate_parts cn_parts_of(struct cn_aggregate_splitter *s, LLVMValueRef value)
{
  size_t bottom = s->todo.count;

  if (!has_parts(s, value))
    cn_push(&s->todo, value);
  while (s->todo.count > bottom) {
    LLVMValueRef top = s->todo.at[s->todo.count - 1];
    size_t before = s->todo.count;
    if (!has_parts(s, top))
      push_operands_without_parts(s, top);
    if (s->todo.count > before)
      continue;
    split_value(s, top);
    s->todo.count--;
  }
  return split_value(s, value);
}

void cn_parts_fill_phis(struct cn_aggregate_splitter *s)
{
  while (s->phis.count) {
    LLVMValueRef phi = s->phis.at[--s->phis.count];
    struct cn_aggregate_parts to = cn_parts_of(s, phi);
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
      LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
      struct cn_aggregate_parts from = cn_parts_of(s, LLVMGetIncomingValue(phi, n));
      CN_CHECK(from.count == to.count);
      for (uint32_t i = 0; i < to.count; i++)
        LLVMAddIncoming(to.at[i], &from.at[i], &block, 1);
    }
  }
}
