/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of references and first-class aggregates that hold some, split where they would be
 * live over a parse point: taken apart right after the definition, put together again right
 * before each use, so that only scalars are relocated (LLVM's own pass does not relocate
 * them: docs/llvm-22.md, "aggregates").
 *
 * A value that is itself put together (insertvalue, phi, shufflevector, ...) is not taken apart:
 * its *leaves* are what it was made of, so that base pointers can be inferred through it. Leaves
 * are numbered through nested types; what holds no reference is one leaf whatever its type.
 *
 * Needs: struct cn_refs with liveness. Provides: no vector or aggregate with references crosses
 * a parse point, and no reference is extracted from one that was put together. Breaks: struct
 * cn_refs, if it changed anything.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/demote.h"

struct leaves {
  LLVMValueRef *at;
  uint32_t count;
};

struct splitter {
  struct cn_ctx *ctx;
  const struct cn_refs *refs;
  LLVMBuilderRef builder;
  struct cn_ptrmap split; /* value -> index of `leaves` */
  CN_VECTOR(struct leaves) leaves;
  CN_VECTOR(LLVMValueRef) todo; /* being split, what they are put together from above them */
  CN_VECTOR(LLVMValueRef) phis; /* whose leaves have no incoming values yet */
  CN_VECTOR(LLVMValueRef) dead;
  struct cn_ptrmap mortal; /* the values of `dead` */
  struct cn_ptrmap erased;
};

static struct leaves split(struct splitter *s, LLVMValueRef value);

/* To be deleted at the end, if nothing uses it then. */
static void may_die(struct splitter *s, LLVMValueRef value)
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
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
                                                     : LLVMGetElementType(type);
}

static bool is_vector(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

uint32_t cn_leaf_count(LLVMTypeRef type)
{
  uint32_t count = 0;

  if (!cn_holds_ref(type) || cn_is_ref(type))
    return 1;
  for (uint32_t i = 0; i < element_count(type) && count <= CN_LEAF_LIMIT; i++)
    count += cn_leaf_count(element_type(type, i));
  return count;
}

/* The number of the first leaf of what `instruction` (insertvalue or extractvalue) names by its
 * indices. */
static uint32_t first_leaf(LLVMValueRef instruction)
{
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
  const unsigned *indices = LLVMGetIndices(instruction);
  uint32_t leaf = 0;

  for (unsigned n = 0; n < LLVMGetNumIndices(instruction); n++) {
    for (unsigned i = 0; i < indices[n]; i++)
      leaf += cn_leaf_count(element_type(type, i));
    type = element_type(type, indices[n]);
  }
  return leaf;
}

/* ---- taking apart and putting together ---- */

static LLVMValueRef number(struct splitter *s, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(s->ctx->llvm), n, false);
}

static LLVMValueRef extract(struct splitter *s, LLVMValueRef value, uint32_t i)
{
  if (LLVMIsConstant(value) && LLVMGetAggregateElement(value, i))
    return LLVMGetAggregateElement(value, i);
  return is_vector(LLVMTypeOf(value)) ? LLVMBuildExtractElement(s->builder, value, number(s, i), "")
                                      : LLVMBuildExtractValue(s->builder, value, i, "");
}

/* An undefined reference becomes null: live at a parse point it would be whatever a register
 * held. */
static void take_apart(struct splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t *at)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (!cn_holds_ref(type) || cn_is_ref(type)) {
    bool undefined = cn_is_ref(type) && (LLVMIsUndef(value) || LLVMIsPoison(value));
    out[(*at)++] = undefined ? LLVMConstNull(type) : value;
    return;
  }
  for (uint32_t i = 0; i < element_count(type); i++)
    take_apart(s, extract(s, value, i), out, at);
}

static LLVMValueRef put_together(struct splitter *s, LLVMTypeRef type, const LLVMValueRef *leaves,
                                 uint32_t *at)
{
  if (!cn_holds_ref(type) || cn_is_ref(type))
    return leaves[(*at)++];
  LLVMValueRef whole = LLVMGetPoison(type);
  for (uint32_t i = 0; i < element_count(type); i++) {
    LLVMValueRef part = put_together(s, element_type(type, i), leaves, at);
    whole = is_vector(type) ? LLVMBuildInsertElement(s->builder, whole, part, number(s, i), "")
                            : LLVMBuildInsertValue(s->builder, whole, part, i, "");
    if (LLVMIsAInstruction(whole))
      may_die(s, whole);
  }
  return whole;
}

/* ---- leaves by kind of definition ---- */

/* Nothing is known of its parts but that they come from memory or another function. */
static bool is_opaque(LLVMValueRef value)
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
    return is_opaque(LLVMGetOperand(value, 0));
  default:
    return true;
  }
}

static void position_before(struct splitter *s, LLVMValueRef instruction)
{
  LLVMPositionBuilderBefore(s->builder, instruction);
  LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* Right after the definition of an opaque value. */
static void position_after(struct splitter *s, LLVMValueRef value)
{
  position_before(s, cn_after_definition(value));
}

static LLVMValueRef equals(struct splitter *s, LLVMValueRef index, uint32_t i)
{
  return LLVMBuildICmp(s->builder, LLVMIntEQ, index, LLVMConstInt(LLVMTypeOf(index), i, false), "");
}

static void split_insert_element(struct splitter *s, LLVMValueRef value, LLVMValueRef *out)
{
  struct leaves vector = split(s, LLVMGetOperand(value, 0));
  LLVMValueRef lane = LLVMGetOperand(value, 1), index = LLVMGetOperand(value, 2);

  memcpy(out, vector.at, vector.count * sizeof *out);
  position_before(s, value);
  for (uint32_t i = 0; i < vector.count; i++) {
    if (!LLVMIsAConstantInt(index))
      out[i] = LLVMBuildSelect(s->builder, equals(s, index, i), lane, out[i], "");
    else if (LLVMConstIntGetZExtValue(index) == i)
      out[i] = lane;
  }
}

static void split_shuffle(struct splitter *s, LLVMValueRef value, LLVMValueRef *out)
{
  struct leaves a = split(s, LLVMGetOperand(value, 0)), b = split(s, LLVMGetOperand(value, 1));

  for (unsigned i = 0; i < LLVMGetNumMaskElements(value); i++) {
    int from = LLVMGetMaskValue(value, i);
    if (from == LLVMGetUndefMaskElem())
      out[i] = LLVMConstNull(LLVMGetElementType(LLVMTypeOf(value)));
    else
      out[i] = (uint32_t)from < a.count ? a.at[from] : b.at[(uint32_t)from - a.count];
  }
}

static void split_select(struct splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  LLVMValueRef condition = LLVMGetOperand(value, 0);
  struct leaves yes = split(s, LLVMGetOperand(value, 1)), no = split(s, LLVMGetOperand(value, 2));
  bool each = is_vector(LLVMTypeOf(condition));

  position_before(s, value);
  for (uint32_t i = 0; i < count; i++)
    out[i] = LLVMBuildSelect(s->builder, each ? extract(s, condition, i) : condition, yes.at[i],
                             no.at[i], "");
}

static void split_gep(struct splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  unsigned indices = (unsigned)LLVMGetNumOperands(value) - 1;
  LLVMValueRef *lane = cn_alloc(indices * sizeof *lane);
  LLVMValueRef pointer = LLVMGetOperand(value, 0);
  struct leaves pointers = split(s, pointer);

  position_before(s, value);
  for (uint32_t i = 0; i < count; i++) {
    for (unsigned n = 0; n < indices; n++) {
      LLVMValueRef index = LLVMGetOperand(value, n + 1);
      lane[n] = is_vector(LLVMTypeOf(index)) ? extract(s, index, i) : index;
    }
    out[i] = LLVMBuildGEPWithNoWrapFlags(s->builder, LLVMGetGEPSourceElementType(value),
                                         pointers.at[pointers.count > 1 ? i : 0], lane, indices, "",
                                         LLVMGEPGetNoWrapFlags(value));
  }
  free(lane);
}

static void split_phi(struct splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef *poison = cn_alloc(count * sizeof *poison);
  uint32_t at = 0;

  take_apart(s, LLVMGetPoison(type), poison, &at); /* for the leaves' types */
  position_before(s, value);
  for (uint32_t i = 0; i < count; i++)
    out[i] = LLVMBuildPhi(s->builder, LLVMTypeOf(poison[i]), "");
  free(poison);
  cn_push(&s->phis, value);
}

/* Fill `out` for an instruction that is not opaque. */
static void split_made(struct splitter *s, LLVMValueRef value, LLVMValueRef *out, uint32_t count)
{
  struct leaves from;

  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMInsertValue: {
    from = split(s, LLVMGetOperand(value, 0));
    memcpy(out, from.at, from.count * sizeof *out);
    from = split(s, LLVMGetOperand(value, 1));
    memcpy(out + first_leaf(value), from.at, from.count * sizeof *out);
    break;
  }
  case LLVMExtractValue:
    memcpy(out, split(s, LLVMGetOperand(value, 0)).at + first_leaf(value), count * sizeof *out);
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
    from = split(s, LLVMGetOperand(value, 0));
    position_before(s, value);
    for (uint32_t i = 0; i < count; i++)
      out[i] = LLVMBuildFreeze(s->builder, from.at[i], "");
    break;
  default: /* a cast to the same type */
    memcpy(out, split(s, LLVMGetOperand(value, 0)).at, count * sizeof *out);
  }
}

/* The leaves of `value`, whose operands have theirs. */
static struct leaves split_one(struct splitter *s, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  bool fresh;
  uint64_t *slot = cn_ptrmap_add(&s->split, value, &fresh);

  if (!fresh)
    return s->leaves.at[*slot];
  *slot = s->leaves.count;
  struct leaves leaves = {.count = cn_leaf_count(type)};
  leaves.at = cn_alloc((leaves.count + 1) * sizeof *leaves.at);
  cn_push(&s->leaves, leaves);
  uint32_t at = 0;
  if (!cn_holds_ref(type) || cn_is_ref(type)) {
    leaves.at[0] = value;
  } else if (is_opaque(value) || LLVMIsConstant(value)) {
    if (!LLVMIsConstant(value))
      position_after(s, value);
    take_apart(s, value, leaves.at, &at);
  } else {
    split_made(s, value, leaves.at, leaves.count);
    may_die(s, value);
  }
  return leaves;
}

static bool is_split(const struct splitter *s, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  return !cn_holds_ref(type) || cn_is_ref(type) || cn_ptrmap_find(&s->split, value);
}

/* Push the operands that `value` is put together from and that have no leaves yet. */
static void push_operands(struct splitter *s, LLVMValueRef value)
{
  if (LLVMIsConstant(value) || is_opaque(value) || LLVMIsAPHINode(value))
    return;
  for (int o = 0; o < LLVMGetNumOperands(value); o++)
    if (!is_split(s, LLVMGetOperand(value, (unsigned)o)))
      cn_push(&s->todo, LLVMGetOperand(value, (unsigned)o));
}

/* The leaves of `value`. A scalar is its own. Valid until the splitter goes. What it is put
 * together from comes first, without recursion: chains may be long. */
static struct leaves split(struct splitter *s, LLVMValueRef value)
{
  size_t bottom = s->todo.count;

  if (!is_split(s, value))
    cn_push(&s->todo, value);
  while (s->todo.count > bottom) {
    LLVMValueRef top = s->todo.at[s->todo.count - 1];
    size_t before = s->todo.count;
    if (!is_split(s, top))
      push_operands(s, top);
    if (s->todo.count > before)
      continue;
    split_one(s, top);
    s->todo.count--;
  }
  return split_one(s, value);
}

static void fill_phis(struct splitter *s)
{
  while (s->phis.count) {
    LLVMValueRef phi = s->phis.at[--s->phis.count];
    struct leaves to = split(s, phi);
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
      LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
      struct leaves from = split(s, LLVMGetIncomingValue(phi, n));
      for (uint32_t i = 0; i < to.count; i++)
        LLVMAddIncoming(to.at[i], &from.at[i], &block, 1);
    }
  }
}

/* ---- rewriting uses ---- */

static bool crosses(const struct splitter *s, LLVMValueRef value)
{
  uint32_t index = cn_refs_index(s->refs, value);

  return index != CN_NO_INDEX && s->refs->values.at[index].cross_count > 0;
}

/* Nothing can be put together on an unwind edge: a pad's phi is always split. */
static bool is_in_pad(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) && cn_is_pad(LLVMGetInstructionParent(value));
}

static LLVMValueRef pick_lane(struct splitter *s, LLVMValueRef extract_element)
{
  struct leaves lanes = split(s, LLVMGetOperand(extract_element, 0));
  LLVMValueRef index = LLVMGetOperand(extract_element, 1);

  if (LLVMIsAConstantInt(index)) {
    uint64_t i = LLVMConstIntGetZExtValue(index);
    return i < lanes.count ? lanes.at[i] : LLVMConstNull(LLVMTypeOf(extract_element));
  }
  position_before(s, extract_element);
  LLVMValueRef picked = lanes.at[0];
  for (uint32_t i = 1; i < lanes.count; i++)
    picked = LLVMBuildSelect(s->builder, equals(s, index, i), lanes.at[i], picked, "");
  return picked;
}

/* A reference that is extracted from a value that was put together, or that crosses, is one of
 * its leaves. */
static bool replace_extract(struct splitter *s, LLVMValueRef value)
{
  bool element = LLVMIsAExtractElementInst(value);

  if (!cn_is_ref(LLVMTypeOf(value)) || (!element && !LLVMIsAExtractValueInst(value)))
    return false;
  LLVMValueRef whole = LLVMGetOperand(value, 0);
  if (is_opaque(whole) && !crosses(s, whole))
    return false;
  LLVMValueRef leaf = element ? pick_lane(s, value) : split(s, whole).at[first_leaf(value)];
  if (leaf == value) /* taken apart before: an extract of ours */
    return false;
  cn_ptrmap_add(&s->erased, value, NULL);
  LLVMReplaceAllUsesWith(value, leaf);
  may_die(s, value);
  return true;
}

static void rebuild_uses(struct splitter *s, const struct cn_ref_value *v)
{
  struct leaves leaves = split(s, v->value);
  LLVMValueRef on_edge = NULL;
  uint32_t edge_block = CN_NO_INDEX;

  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++) {
    const struct cn_ref_use *use = &s->refs->uses.at[u];
    bool phi = LLVMIsAPHINode(use->user);
    uint32_t at = 0;
    if (cn_ptrmap_find(&s->erased, use->user))
      continue;
    LLVMBasicBlockRef block = s->refs->cfg->blocks[use->block].block;
    position_before(s, phi ? LLVMGetBasicBlockTerminator(block) : use->user);
    LLVMValueRef whole = phi && edge_block == use->block
                             ? on_edge
                             : put_together(s, LLVMTypeOf(v->value), leaves.at, &at);
    if (phi) {
      on_edge = whole;
      edge_block = use->block;
    }
    LLVMSetOperand(use->user, use->operand, whole);
  }
}

/* From the last on: what was put together is deleted from the outside in. */
static void delete_dead(struct splitter *s)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (size_t i = s->dead.count; i-- > 0;)
      if (s->dead.at[i] && !LLVMGetFirstUse(s->dead.at[i])) {
        LLVMInstructionEraseFromParent(s->dead.at[i]);
        s->dead.at[i] = NULL;
        changed = true;
      }
  }
}

static void finish(struct splitter *s)
{
  fill_phis(s);
  delete_dead(s);
  for (size_t i = 0; i < s->leaves.count; i++)
    free(s->leaves.at[i].at);
  cn_free(&s->leaves);
  cn_free(&s->phis);
  cn_free(&s->todo);
  cn_free(&s->dead);
  cn_ptrmap_free(&s->split);
  cn_ptrmap_free(&s->mortal);
  cn_ptrmap_free(&s->erased);
  LLVMDisposeBuilder(s->builder);
}

bool cn_split_aggregates(struct cn_ctx *ctx, const struct cn_refs *refs)
{
  struct splitter s = {.ctx = ctx, .refs = refs, .builder = LLVMCreateBuilderInContext(ctx->llvm)};
  bool changed = false;

  for (size_t v = 0; v < refs->values.count; v++)
    changed |= replace_extract(&s, refs->values.at[v].value);
  for (size_t v = 0; v < refs->values.count; v++)
    if (!refs->values.at[v].scalar &&
        (refs->values.at[v].cross_count || is_in_pad(refs->values.at[v].value))) {
      rebuild_uses(&s, &refs->values.at[v]);
      changed = true;
    }
  finish(&s);
  return changed;
}
