/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the origins of the references that statepoints list: one node per scalar reference, with its sources. Needs:
 * struct cn_cfg. Provides: the nodes of struct cn_object_graph (verify.h). same_object.c uses the nodes to infer,
 * independently of the rewriter, which references point into the same object (statepoints-later, "Base & Derived
 * Pointers"). Breaks: nothing.
 *
 * A relocate points into the object that its operand pointed into; a GEP, cast or mask points into the object of its
 * operand. A reference from memory, a caller or a callee is a separate origin; constants and values marked immovable
 * point to objects that stay in place.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/each.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/verify/verify.h"

/* ---- nodes ---- */

/* Find or make the node of scalar `scalar` of `value`. The nodes of all scalars of a value are consecutive. */
static uint32_t find_or_add_node(struct cn_object_graph *o, LLVMValueRef value, uint32_t scalar)
{
  uint32_t scalars = cn_scalar_count(LLVMTypeOf(value));
  bool fresh;
  uint64_t *first = cn_ptrmap_add(&o->first, value, &fresh);

  CN_CHECK(scalars);
  if (fresh) {
    *first = o->nodes.count;
    for (uint32_t l = 0; l < scalars; l++)
      cn_push(&o->nodes, (struct cn_object_node){.value = value, .scalar = l});
  }
  /* A scalar operand of a vector instruction applies to every lane. */
  return (uint32_t)*first + (scalar < scalars ? scalar : 0);
}

const struct cn_object_node *cn_objects_find_node(const struct cn_object_graph *o, LLVMValueRef value, uint32_t scalar)
{
  const uint64_t *first = cn_ptrmap_find(&o->first, value);
  uint32_t scalars = cn_scalar_count(LLVMTypeOf(value));

  return first && scalars ? &o->nodes.at[*first + (scalar < scalars ? scalar : 0)] : NULL;
}

/* A node under construction, outside the vector, because an addition to the vector moves its elements. */
struct node_builder {
  struct cn_object_graph *o;
  LLVMValueRef value;
  uint32_t scalar;
  struct cn_object_node node;
};

static void make_copy_node(struct node_builder *m, LLVMValueRef from, uint32_t scalar, bool moves)
{
  m->node.kind = CN_OBJECT_COPY;
  m->node.moves = moves;
  m->node.from = find_or_add_node(m->o, from, scalar);
}

static void begin_merge_node(struct node_builder *m, const void *key, uint32_t key_scalar)
{
  m->node.kind = CN_OBJECT_MERGE;
  m->node.key = key;
  m->node.key_scalar = key_scalar;
  m->node.first = (uint32_t)m->o->inputs.count;
}

/* `from` is the block that passes the input at its end. */
static void add_merge_input(struct node_builder *m, LLVMValueRef value, uint32_t scalar, uint32_t from)
{
  uint32_t node = find_or_add_node(m->o, value, scalar);

  CN_CHECK(from != CN_NO_BLOCK);
  cn_push(&m->o->inputs, (struct cn_object_input){node, from});
  m->node.count++;
}

static int compare_input_blocks(const void *a, const void *b)
{
  const struct cn_object_input *x = a, *y = b;

  return (x->from > y->from) - (x->from < y->from);
}

static bool has_zero_offset(LLVMValueRef gep)
{
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!LLVMIsConstant(LLVMGetOperand(gep, (unsigned)i)) || !LLVMIsNull(LLVMGetOperand(gep, (unsigned)i)))
      return false;
  return true;
}

static void make_phi_node(struct node_builder *m)
{
  const struct cn_cfg *cfg = &m->o->v->cfg;

  begin_merge_node(m, LLVMGetInstructionParent(m->value), 0);
  for (unsigned i = 0; i < LLVMCountIncoming(m->value); i++) {
    uint32_t from = cn_cfg_index_of(cfg, LLVMGetIncomingBlock(m->value, i));
    if (from != CN_NO_BLOCK)
      add_merge_input(m, LLVMGetIncomingValue(m->value, i), m->scalar, from);
  }
  /* Sort the inputs, since the phis of a block may list them in different orders. */
  if (m->node.count > 1)
    qsort(m->o->inputs.at + m->node.first, m->node.count, sizeof *m->o->inputs.at, compare_input_blocks);
}

static uint32_t block_index_of(const struct node_builder *m)
{
  return cn_cfg_index_of(&m->o->v->cfg, LLVMGetInstructionParent(m->value));
}

static void make_select_node(struct node_builder *m)
{
  LLVMValueRef condition = LLVMGetOperand(m->value, 0);
  bool lanes = LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMVectorTypeKind;

  begin_merge_node(m, condition, lanes ? m->scalar : 0);
  add_merge_input(m, LLVMGetOperand(m->value, 1), m->scalar, block_index_of(m));
  add_merge_input(m, LLVMGetOperand(m->value, 2), m->scalar, block_index_of(m));
}

/* Make a node that may be any element, for a variable index. */
static void make_indexed_choice_node(struct node_builder *m)
{
  bool inserts = LLVMIsAInsertElementInst(m->value);
  LLVMValueRef whole = LLVMGetOperand(m->value, 0);

  if (!inserts && !LLVMIsAExtractElementInst(m->value)) {
    m->node.kind = CN_OBJECT_ORIGIN;
    return;
  }
  begin_merge_node(m, LLVMGetOperand(m->value, inserts ? 2 : 1), m->scalar);
  if (inserts) {
    add_merge_input(m, LLVMGetOperand(m->value, 1), 0, block_index_of(m));
    add_merge_input(m, whole, m->scalar, block_index_of(m));
    return;
  }
  for (uint32_t l = 0; l < cn_scalar_count(LLVMTypeOf(whole)); l++)
    add_merge_input(m, whole, l, block_index_of(m));
}

static void make_element_node(struct node_builder *m)
{
  struct cn_scalar_source source = cn_scalar_source(m->value, m->scalar);

  switch (source.which) {
  case CN_SCALAR_UNDEFINED:
    m->node.kind = CN_OBJECT_UNDEFINED;
    break;
  case CN_SCALAR_ONE_SOURCE:
    make_copy_node(m, LLVMGetOperand(m->value, source.operand), source.scalar, false);
    break;
  case CN_SCALAR_ANY_SOURCE:
    make_indexed_choice_node(m);
    break;
  }
}

static void make_call_node(struct node_builder *m)
{
  LLVMValueRef listed, base = cn_calls_base_argument(m->value);

  m->node.kind = CN_OBJECT_ORIGIN;
  if (cn_is_relocate(m->value)) {
    listed = cn_verify_listed_operand_of(m->o->v, m->value, 2);
    if (listed)
      make_copy_node(m, listed, m->scalar, false);
  } else if (cn_intrinsic_has_effect(m->value, CN_EFFECT_SAME)) {
    make_copy_node(m, LLVMGetOperand(m->value, 0), m->scalar, false);
  } else if (cn_intrinsic_has_effect(m->value, CN_EFFECT_INSIDE)) {
    make_copy_node(m, LLVMGetOperand(m->value, 0), m->scalar, true);
  } else if (cn_calls_intrinsic(m->value, "llvm.experimental.gc.get.pointer.base")) {
    make_copy_node(m, LLVMGetOperand(m->value, 0), m->scalar, false);
    m->node.start = true;
  }
  if (base && cn_is_ref(LLVMTypeOf(m->value)))
    make_copy_node(m, base, m->scalar, true);
}

static void make_instruction_node(struct node_builder *m)
{
  LLVMValueRef i = m->value;

  m->node.kind = CN_OBJECT_ORIGIN;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMGetElementPtr:
    make_copy_node(m, LLVMGetOperand(i, 0), m->scalar, !has_zero_offset(i));
    break;
  case LLVMBitCast:
  case LLVMFreeze:
    make_copy_node(m, LLVMGetOperand(i, 0), m->scalar, false);
    break;
  case LLVMAddrSpaceCast:
    make_copy_node(m, LLVMGetOperand(i, 0), m->scalar, false);
    break;
  case LLVMPHI:
    make_phi_node(m);
    break;
  case LLVMSelect:
    make_select_node(m);
    break;
  case LLVMExtractValue:
  case LLVMInsertValue:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
    make_element_node(m);
    break;
  case LLVMCall:
  case LLVMInvoke:
    make_call_node(m);
    break;
  case LLVMAlloca:
    m->node.kind = CN_OBJECT_FIXED;
    break;
  default:
    break;
  }
}

static LLVMValueRef constant_element_at(LLVMValueRef constant, uint32_t scalar)
{
  CN_ASSERT(scalar < cn_scalar_count(LLVMTypeOf(constant)));
  while (LLVMIsAConstantStruct(constant) || LLVMIsAConstantArray(constant) || LLVMIsAConstantVector(constant)) {
    uint32_t i = 0;
    for (uint32_t scalars; scalar >= (scalars = cn_scalar_count(LLVMTypeOf(LLVMGetAggregateElement(constant, i)))); i++)
      scalar -= scalars;
    constant = LLVMGetAggregateElement(constant, i);
  }
  return constant;
}

static void make_node(struct cn_object_graph *o, uint32_t n)
{
  struct node_builder m = {o, o->nodes.at[n].value, o->nodes.at[n].scalar, o->nodes.at[n]};

  if (cn_is_immovable(m.value)) {
    m.node.kind = CN_OBJECT_FIXED;
  } else if (LLVMIsAInstruction(m.value)) {
    make_instruction_node(&m);
  } else if (LLVMIsAArgument(m.value)) {
    m.node.kind = CN_OBJECT_ORIGIN;
  } else {
    LLVMValueRef constant =
        cn_scalars_count_as_one(LLVMTypeOf(m.value)) ? m.value : constant_element_at(m.value, m.scalar);
    m.node.kind = LLVMIsUndef(constant) || LLVMIsPoison(constant) ? CN_OBJECT_UNDEFINED : CN_OBJECT_FIXED;
    m.node.null = LLVMIsNull(constant);
  }
  o->nodes.at[n] = m.node;
}

/* ---- which nodes ---- */

static void add_operand_node(struct cn_object_graph *o, LLVMValueRef value)
{
  if (value && cn_scalar_count(LLVMTypeOf(value)))
    find_or_add_node(o, value, 0);
}

static void add_statepoint_nodes(struct cn_object_graph *o, LLVMValueRef statepoint)
{
  uint64_t arguments = LLVMConstIntGetZExtValue(LLVMGetOperand(statepoint, 3));
  uint32_t first, end;

  for (uint32_t a = 0; a < arguments; a++)
    add_operand_node(o, LLVMGetOperand(statepoint, CN_STATEPOINT_FIXED_ARGS + a));
  for (cn_calls_find_bundle(statepoint, "gc-live", &first, &end); first < end; first++)
    add_operand_node(o, LLVMGetOperand(statepoint, first));
}

static void add_deopt_nodes(struct cn_object_graph *o, LLVMValueRef statepoint)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(statepoint, "deopt", &i, &end); i < end; i++)
    if (cn_is_ref(LLVMTypeOf(LLVMGetOperand(statepoint, i))))
      add_operand_node(o, LLVMGetOperand(statepoint, i));
}

/* Add nodes for the operands of relocates and of comparisons of references, for deopt values, and for the values of
 * calls that must list their operands. */
static void add_required_nodes(struct cn_object_graph *o)
{
  for (uint32_t b = 0; b < o->v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, o->v->cfg.blocks[b].block) {
      if (cn_is_relocate(i)) {
        add_operand_node(o, cn_verify_listed_operand_of(o->v, i, 1));
        add_operand_node(o, cn_verify_listed_operand_of(o->v, i, 2));
      } else if (LLVMIsAICmpInst(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0)))) {
        add_operand_node(o, LLVMGetOperand(i, 0));
        add_operand_node(o, LLVMGetOperand(i, 1));
      } else if (cn_classify_call(i).kind == CN_CALL_STATEPOINT) {
        add_deopt_nodes(o, i);
        if (cn_must_list_operands(i))
          add_statepoint_nodes(o, i);
      }
    }
}

/* Put nodes in the order of their definitions, so that each except a phi comes after its sources. */
static void order_nodes_by_definition(struct cn_object_graph *o)
{
  const struct cn_cfg *cfg = &o->v->cfg;
  uint32_t at = 0;

  o->order = cn_alloc(o->nodes.count * sizeof *o->order);
  for (uint32_t n = 0; n < o->nodes.count; n++)
    if (!LLVMIsAInstruction(o->nodes.at[n].value))
      o->order[at++] = n;
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      const uint64_t *first = cn_ptrmap_find(&o->first, i);
      for (uint32_t l = 0, scalars = first ? cn_scalar_count(LLVMTypeOf(i)) : 0; l < scalars; l++) {
        o->nodes.at[*first + l].block = b;
        o->order[at++] = (uint32_t)*first + l;
      }
    }
  CN_CHECK(at <= o->nodes.count);
  o->ordered = at; /* the remaining nodes are unreachable */
}

static bool has_valid_sources(const struct cn_object_graph *o, const struct cn_object_node *node)
{
  if (node->kind == CN_OBJECT_COPY)
    return node->from < o->nodes.count && node->class == o->nodes.at[node->from].class;
  if (node->kind != CN_OBJECT_MERGE)
    return true;
  if (node->first + node->count > o->inputs.count)
    return false;
  for (uint32_t i = node->first; i < node->first + node->count; i++)
    if (o->inputs.at[i].node >= o->nodes.count || o->inputs.at[i].from >= o->v->cfg.count)
      return false;
  return true;
}

const char *cn_objects_wrong(const struct cn_object_graph *o)
{
  if (o->ordered > o->nodes.count)
    return "objects: more nodes are in order than there are";
  for (uint32_t at = 0; at < o->ordered; at++) {
    const struct cn_object_node *node = &o->nodes.at[o->order[at]];
    if (cn_objects_find_node(o, node->value, node->scalar) != node)
      return "objects: a node is not found by its value";
    if (!has_valid_sources(o, node))
      return "objects: a node has a source that is none, or a copy another class than its source";
    if (o->nodes.at[node->root].kind == CN_OBJECT_COPY)
      return "objects: a copy is the root of a node";
  }
  return NULL;
}

void cn_objects_build(struct cn_object_graph *o, struct cn_verifier *v)
{
  *o = (struct cn_object_graph){.v = v};
  add_required_nodes(o);
  for (uint32_t n = 0; n < o->nodes.count; n++)
    make_node(o, n);
  order_nodes_by_definition(o);
}

void cn_objects_free(struct cn_object_graph *o)
{
  cn_free(&o->nodes);
  cn_free(&o->inputs);
  cn_ptrmap_free(&o->first);
  cn_ptrmap_free(&o->proved);
  free(o->order);
}
