/* SPDX-License-Identifier: Apache-2.0
 *
 * Rematerialises derived values: computes them again from a relocated value instead of relocating them
 * (late-insertion-slides-2014, "When relocation isn't needed": constant offset GEPs, and any other cheap chain free of
 * side effects). Part of rewrite-statepoints. Two kinds of values are rematerialised:
 *
 * - A chain of constant GEPs counts as uses of its root, the value that it starts from. The chain is computed again at
 *   each use, because an address with a constant offset is free there. refs.c finds these chains.
 * - A tree of cheap instructions from the value's base is computed after each safepoint that the value crosses, from
 *   the new value of the base, which these safepoints list in any case. The copy takes the value's place in the SSA
 *   construction, so the copy costs nothing on the hot path around a cold poll. The tree may have indices as operands.
 *   The indices are available after the safepoint in SSA form; one index takes the register that the value would have
 *   taken. The cost model below relocates values with too many indices.
 *
 * Only values whose offset in the object is independent of the object's address are rematerialised, which excludes
 * loads, arithmetic on addresses and freezes of possible poison.
 *
 * Needs: liveness with bases attached. Provides: rematerialised values are marked, and the live sets omit them. Breaks:
 * nothing.
 */
#include "compile/rewrite/emit/rematerialise.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/rewrite/emit/emitter.h"

enum {
  MAX_REMATERIALISATION_COST = 5, /* LLVM's own pass rematerialises chains that cost less than 6 */
  MAX_TREE_INSTRUCTIONS = 10,     /* instructions of a tree */
  VARIABLE_INDEX_COST = 2,        /* a variable index */
  TAG_MASK_COST = 2,
  SELECT_COST = 2,
  MAX_RECENT_COPIES = 4 /* the newest copies of a chain, which are searched for a copy to use again */
};

/* ---- candidates ---- */

/* True if `call` masks only low bits, which stay the same when the object moves. */
static bool is_tag_mask(LLVMValueRef call)
{
  if (!cn_calls_intrinsic(call, "llvm.ptrmask"))
    return false;
  LLVMValueRef mask = LLVMIsAConstantInt(LLVMGetArgOperand(call, 1));
  return mask && LLVMGetIntTypeWidth(LLVMTypeOf(mask)) <= 64 &&
         ~(uint64_t)LLVMConstIntGetSExtValue(mask) < CAIRN_ABI_OBJECT_ALIGN;
}

struct tree_estimate {
  LLVMValueRef base;
  bool integers; /* the tree may have variable indices: no integer of the function shows an address */
  unsigned links;
};

static unsigned rematerialisation_cost_of(struct tree_estimate *tree, LLVMValueRef value);

static unsigned cost_of_gep(struct tree_estimate *tree, LLVMValueRef gep)
{
  unsigned cost = 0;

  CN_ASSERT(LLVMIsAGetElementPtrInst(gep));
  for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
    if (LLVMIsConstant(index))
      continue;
    if (!tree->integers || LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
      return MAX_REMATERIALISATION_COST + 1;
    cost += VARIABLE_INDEX_COST;
  }
  return cost + rematerialisation_cost_of(tree, LLVMGetOperand(gep, 0));
}

/* The cost of `value`; a value with a cost above MAX_REMATERIALISATION_COST is relocated. */
static unsigned rematerialisation_cost_of(struct tree_estimate *tree, LLVMValueRef value)
{
  if (value == tree->base)
    return 0;
  if (!LLVMIsAInstruction(value) || !cn_is_ref(LLVMTypeOf(value)) || ++tree->links > MAX_TREE_INSTRUCTIONS)
    return MAX_REMATERIALISATION_COST + 1;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
    return cost_of_gep(tree, value);
  case LLVMSelect:
    return SELECT_COST + rematerialisation_cost_of(tree, LLVMGetOperand(value, 1)) +
           rematerialisation_cost_of(tree, LLVMGetOperand(value, 2));
  case LLVMCall:
    return is_tag_mask(value) ? TAG_MASK_COST + rematerialisation_cost_of(tree, LLVMGetOperand(value, 0))
                              : MAX_REMATERIALISATION_COST + 1;
  default:
    return MAX_REMATERIALISATION_COST + 1;
  }
}

/* True if deoptimisation state names the value, so that the statepoint must list the value itself. */
static bool is_named_by_deopt_state(const struct cn_refs *refs, const struct cn_ref_value *v)
{
  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++)
    if (refs->uses.at[u].state)
      return true;
  return false;
}

static void remove_rematerialised_from_live(struct cn_refs *refs)
{
  for (size_t p = 0; p < refs->points.count; p++) {
    struct cn_parse_point *point = &refs->points.at[p];
    size_t kept = 0;
    for (size_t i = 0; i < point->live.count; i++)
      if (!refs->values.at[point->live.at[i]].rematerialised)
        point->live.at[kept++] = point->live.at[i];
    point->live.count = kept;
  }
}

void cn_rematerialise_choose_values(struct cn_refs *refs)
{
  bool known = false, integers = false, any = false;

  if (!cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_RECOMPUTE))
    return;
  for (uint32_t v = 0; v < refs->values.count; v++) {
    struct cn_ref_value *value = &refs->values.at[v];
    if (!value->cross_count || value->base == v || value->base == CN_NO_INDEX || is_named_by_deopt_state(refs, value))
      continue;
    if (!known)
      integers = refs->integers ? refs->integers == CN_INDEX_ADDRESSES_ABSENT : !cn_has_address_integers(refs->cfg);
    known = true;
    struct tree_estimate tree = {.base = refs->values.at[value->base].value, .integers = integers};
    unsigned cost = VARIABLE_INDEX_COST * value->indices + rematerialisation_cost_of(&tree, value->value);
    value->rematerialised = cost <= MAX_REMATERIALISATION_COST;
    any |= value->rematerialised;
  }
  if (any)
    remove_rematerialised_from_live(refs);
}

/* ---- chains from a root, at the use ---- */

static const void *chain_key(uint32_t via)
{
  return (const void *)(uintptr_t)(via + 1);
}

LLVMValueRef cn_rematerialised_copies_find(struct cn_rematerialised_copies *copies, struct cn_refs *refs, uint32_t via,
                                           uint32_t number, uint32_t block)
{
  const uint64_t *newest = cn_ptrmap_find(&copies->newest, chain_key(via));
  uint32_t at = newest ? (uint32_t)*newest : 0;

  for (unsigned tries = 0; at && tries < MAX_RECENT_COPIES; tries++) {
    const struct cn_chain_copy *copy = &copies->made.at[at - 1];
    if (copy->number == number) {
      if (copy->block == block)
        return copy->value;
      cn_cfg_add_dominators(refs->cfg);
      if (cn_cfg_dominates(refs->cfg, copy->block, block))
        return copy->value;
    }
    at = copy->older;
  }
  return NULL;
}

void cn_rematerialised_copies_add(struct cn_rematerialised_copies *copies, uint32_t via, uint32_t number,
                                  uint32_t block, LLVMValueRef value)
{
  uint64_t *newest = cn_ptrmap_add(&copies->newest, chain_key(via), NULL);

  cn_push(&copies->made, (struct cn_chain_copy){number, block, (uint32_t)*newest, value});
  *newest = copies->made.count;
}

void cn_rematerialised_copies_free(struct cn_rematerialised_copies *copies)
{
  cn_free(&copies->made);
  cn_ptrmap_free(&copies->newest);
}

LLVMValueRef cn_rematerialise_gep_chain(LLVMBuilderRef builder, const struct cn_refs *refs, uint32_t value,
                                        uint32_t root, LLVMValueRef before, LLVMValueRef *first)
{
  const struct cn_ref_value *v = &refs->values.at[value];
  LLVMValueRef from = NULL;

  CN_CHECK(value != root && LLVMIsAGetElementPtrInst(v->value));
  CN_ASSERT(LLVMIsAInstruction(before));
  *first = NULL;
  if (v->from != root) /* follow the chain in refs: the operand in the IR may have been rewritten already */
    from = cn_rematerialise_gep_chain(builder, refs, v->from, root, before, first);
  LLVMValueRef copy = LLVMInstructionClone(v->value);
  if (from)
    LLVMSetOperand(copy, 0, from);
  LLVMPositionBuilderBefore(builder, before);
  LLVMInsertIntoBuilder(builder, copy);
  if (!*first)
    *first = copy;
  return copy;
}

/* ---- trees from the base, after the safepoint ---- */

struct rematerialised_position {
  uint32_t value, pos;
};

static int by_position(const void *a, const void *b)
{
  const struct rematerialised_position *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos > y->pos ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

/* List users before their operands, so that a tree is copied before its inner uses are rewritten. */
void cn_rematerialised_init(struct cn_rematerialised *remade, const struct cn_refs *refs)
{
  CN_VECTOR(struct rematerialised_position) all = {0};

  *remade = (struct cn_rematerialised){0};
  for (uint32_t v = 0; v < refs->values.count; v++)
    if (refs->values.at[v].rematerialised)
      cn_push(&all, (struct rematerialised_position){v, refs->values.at[v].pos});
  if (!all.count)
    return;
  qsort(all.at, all.count, sizeof *all.at, by_position);
  for (size_t i = 0; i < all.count; i++)
    cn_push(&remade->order, all.at[i].value);
  cn_free(&all);
  remade->first = cn_alloc(refs->values.count * sizeof *remade->first);
  remade->last = cn_alloc(refs->values.count * sizeof *remade->last);
  memset(remade->first, 0xff, refs->values.count * sizeof *remade->first);
}

void cn_rematerialised_free(struct cn_rematerialised *remade)
{
  cn_free(&remade->order);
  cn_free(&remade->extras);
  free(remade->first);
  free(remade->last);
}

const struct cn_rematerialised_read *cn_rematerialised_first_read(const struct cn_rematerialised *remade, uint32_t base)
{
  if (!remade->first || remade->first[base] == CN_NO_INDEX)
    return NULL;
  return &remade->extras.at[remade->first[base]];
}

const struct cn_rematerialised_read *cn_rematerialised_next_read(const struct cn_rematerialised *remade,
                                                                 const struct cn_rematerialised_read *extra)
{
  return extra->next == CN_NO_INDEX ? NULL : &remade->extras.at[extra->next];
}

static void add_base_read(struct cn_rematerialised *remade, uint32_t base, struct cn_rematerialised_read extra)
{
  uint32_t at = (uint32_t)remade->extras.count;

  extra.next = CN_NO_INDEX;
  cn_push(&remade->extras, extra);
  if (remade->first[base] == CN_NO_INDEX)
    remade->first[base] = at;
  else
    remade->extras.at[remade->last[base]].next = at;
  remade->last[base] = at;
}

/* A copy of a tree, built from the leaves up at the builder's place. */
struct tree_copy {
  LLVMBuilderRef builder;
  LLVMValueRef base, first;
  CN_VECTOR(struct cn_rematerialised_read) leaves;
};

static LLVMValueRef copy_tree(struct tree_copy *copying, LLVMValueRef value)
{
  LLVMValueRef operands[2] = {NULL, NULL};

  if (value == copying->base)
    return value;
  bool select = LLVMIsASelectInst(value);
  unsigned first = select ? 1 : 0, count = select ? 2 : 1;
  for (unsigned o = 0; o < count; o++)
    operands[o] = copy_tree(copying, LLVMGetOperand(value, first + o));
  CN_CHECK(select || LLVMIsAGetElementPtrInst(value) || is_tag_mask(value));
  LLVMValueRef copy = LLVMInstructionClone(value);
  LLVMInsertIntoBuilder(copying->builder, copy);
  if (!copying->first)
    copying->first = copy;
  for (unsigned o = 0; o < count; o++) {
    LLVMSetOperand(copy, first + o, operands[o]);
    if (operands[o] == copying->base)
      cn_push(&copying->leaves, (struct cn_rematerialised_read){.user = copy, .operand = first + o});
  }
  return copy;
}

LLVMValueRef cn_rematerialise_after_point(struct cn_rematerialised *remade, struct cn_emitter *emitter,
                                          struct cn_refs *refs, uint32_t value, uint32_t point,
                                          const struct cn_sink_place *place)
{
  const struct cn_ref_value *v = &refs->values.at[value];
  struct tree_copy copying = {.builder = cn_emitter_builder(emitter), .base = refs->values.at[v->base].value};

  CN_CHECK(v->base != CN_NO_INDEX && v->base != value);
  if (place->before)
    LLVMPositionBuilderBefore(copying.builder, place->before);
  else
    cn_emitter_move_after_point(emitter, refs, point);
  LLVMValueRef copy = copy_tree(&copying, v->value);
  struct cn_sink_place from = *place;
  from.state = place->before ? CN_SINK_BEFORE_INSTRUCTION : CN_SINK_AFTER_STATEPOINT;
  from.before = copying.first;
  from.copy = true;
  for (size_t i = 0; i < copying.leaves.count; i++) {
    struct cn_rematerialised_read *leaf = &copying.leaves.at[i];
    leaf->point = point;
    leaf->place = from;
    add_base_read(remade, v->base, *leaf);
  }
  cn_free(&copying.leaves);
  return copy;
}
