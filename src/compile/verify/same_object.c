/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts references that point into the same object into one class. Needs: the nodes of struct cn_object_graph. Provides:
 * their classes, and cn_objects_prove_same(). Breaks: nothing.
 *
 * Nodes of one class point into the same object at every place where both are defined. Classes are value numbers. A
 * copy has the class of its source. A phi or select whose inputs all have one class has this class. Two phis of one
 * block, or two selects of one condition, have the same class if their inputs agree one by one. The algorithm assumes
 * these equalities in loops, and refutes them until the classes are stable (C. Click, K. Cooper, "Combining Analyses,
 * Combining Optimizations", 1995, section 3; T. Simpson, "Value-Driven Redundancy Elimination", 1996: rounds in reverse
 * post-order with a hash table).
 *
 * Two nodes of different classes may still point into one object: a base may be undefined on paths without a use, and a
 * branch may have shown two references to be equal. cn_objects_prove_same() searches the inputs of phis for such
 * proofs. The search compares only values of the same iteration, because a phi's input `b` and the `b` of the next
 * iteration are different values. The search therefore compares inputs pairwise, or an input with a value that is
 * defined before control enters the phi's block.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* Classes other than node numbers. */
enum { FIXED_CLASS = 0, UNDEFINED_CLASS = 1, FIRST_NODE_CLASS = 2, TOP_CLASS = INT32_MAX };
/* After this number of rounds, a merge that still changes gets a separate class, because a difference between classes
 * of the first round may otherwise circulate in a cycle of phis for ever. cn_objects_prove_same() then compares the
 * merge's inputs. */
#define MAX_CLASS_ROUNDS 40
/* The maximum work of one proof. */
#define MAX_PROOF_STEPS 20000
#define MAX_PROOF_DEPTH 2000

/* ---- value numbers ---- */

struct merge_table {
  uint32_t *slots; /* node + 1 */
  size_t room;
};

static uint64_t hash_merge(const struct cn_object_graph *o, const struct cn_object_node *node)
{
  uint64_t hash = ((uintptr_t)node->key >> 4) * 31 + node->key_scalar;

  for (uint32_t i = node->first; i < node->first + node->count; i++)
    hash = (hash ^ o->nodes.at[o->inputs.at[i].node].class) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool has_same_input_classes(const struct cn_object_graph *o, const struct cn_object_node *a,
                                   const struct cn_object_node *b)
{
  if (a->key != b->key || a->key_scalar != b->key_scalar || a->count != b->count ||
      LLVMGetInstructionOpcode(a->value) != LLVMGetInstructionOpcode(b->value))
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (o->nodes.at[o->inputs.at[a->first + i].node].class != o->nodes.at[o->inputs.at[b->first + i].node].class)
      return false;
  return true;
}

/* Find the first node of this round that merges the same inputs in the same block or by the same condition; else add
 * `n`. */
static uint32_t find_or_add_merge(const struct cn_object_graph *o, struct merge_table *table, uint32_t n)
{
  const struct cn_object_node *node = &o->nodes.at[n];
  size_t i = hash_merge(o, node) & (table->room - 1);

  CN_ASSERT(node->kind == CN_OBJECT_MERGE && (table->room & (table->room - 1)) == 0);
  for (; table->slots[i]; i = (i + 1) & (table->room - 1))
    if (has_same_input_classes(o, &o->nodes.at[table->slots[i] - 1], node))
      return table->slots[i] - 1;
  table->slots[i] = n + 1;
  return n;
}

static uint32_t class_of_merge(const struct cn_object_graph *o, struct merge_table *table, uint32_t n)
{
  const struct cn_object_node *node = &o->nodes.at[n];
  uint32_t all = TOP_CLASS;

  for (uint32_t i = node->first; i < node->first + node->count; i++) {
    uint32_t class = o->nodes.at[o->inputs.at[i].node].class;
    if (class == TOP_CLASS || class == all)
      continue;
    if (all != TOP_CLASS)
      return find_or_add_merge(o, table, n) + FIRST_NODE_CLASS;
    all = class;
  }
  return all;
}

static uint32_t class_of_node(const struct cn_object_graph *o, struct merge_table *table, uint32_t n)
{
  const struct cn_object_node *node = &o->nodes.at[n];

  if (node->unsettled)
    return n + FIRST_NODE_CLASS;
  switch (node->kind) {
  case CN_OBJECT_FIXED:
    return FIXED_CLASS;
  case CN_OBJECT_UNDEFINED:
    return UNDEFINED_CLASS;
  case CN_OBJECT_COPY:
    return o->nodes.at[node->from].class;
  case CN_OBJECT_MERGE:
    return class_of_merge(o, table, n);
  case CN_OBJECT_ORIGIN:
    break;
  }
  return n + FIRST_NODE_CLASS;
}

static bool update_classes(struct cn_object_graph *o, struct merge_table *table, bool settle)
{
  bool changed = false;

  for (size_t i = 0; i < table->room; i++)
    table->slots[i] = 0;
  for (uint32_t at = 0; at < o->ordered; at++) {
    struct cn_object_node *node = &o->nodes.at[o->order[at]];
    uint32_t class = class_of_node(o, table, o->order[at]);
    if (settle && class != node->class && node->kind == CN_OBJECT_MERGE) {
      node->unsettled = true;
      class = o->order[at] + FIRST_NODE_CLASS;
    }
    changed |= class != node->class;
    node->class = class;
    node->root = node->kind == CN_OBJECT_COPY ? o->nodes.at[node->from].root : o->order[at];
  }
  return changed;
}

bool cn_objects_is_fixed(const struct cn_object_node *node)
{
  return node->class == FIXED_CLASS;
}

/* ---- pointers into the middle ---- */

static bool may_be_interior(const struct cn_object_graph *o, const struct cn_object_node *node)
{
  if (node->kind == CN_OBJECT_COPY && !node->start && node->class >= FIRST_NODE_CLASS)
    return node->moves || o->nodes.at[node->from].inside;
  if (node->kind == CN_OBJECT_MERGE)
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      if (o->nodes.at[o->inputs.at[i].node].inside)
        return true;
  return false;
}

static void find_interior_pointers(struct cn_object_graph *o)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (uint32_t at = 0; at < o->ordered; at++) {
      struct cn_object_node *node = &o->nodes.at[o->order[at]];
      if (!node->inside && may_be_interior(o, node))
        node->inside = changed = true;
    }
  }
}

void cn_objects_classify(struct cn_object_graph *o)
{
  struct merge_table table = {.room = 64};
  unsigned passes = 0;

  CN_CHECK(o->nodes.count < TOP_CLASS - FIRST_NODE_CLASS);
  for (size_t n = 0; n < o->nodes.count; n++) {
    o->nodes.at[n].class = TOP_CLASS;
    if (o->nodes.at[n].kind == CN_OBJECT_MERGE)
      passes++;
  }
  while (table.room < 2 * (size_t)passes)
    table.room *= 2;
  CN_CHECK(table.room > passes); /* a search in a full table would be endless */
  table.slots = cn_alloc(table.room * sizeof *table.slots);
  passes = 0;
  while (update_classes(o, &table, passes > MAX_CLASS_ROUNDS))
    passes++;
  free(table.slots);
  find_interior_pointers(o);
  CN_ASSERT_VALID(cn_objects_wrong(o));
}

/* ---- equal for other reasons ---- */

/* A search for a proof. A pending pair counts as proven if the search reaches the pair again across a phi, because the
 * proof of one iteration then depends on the previous iteration. If the search reaches the pair again without a phi,
 * the proof would be circular. */
struct same_object_proof {
  const struct cn_object_graph *o;
  struct cn_ptrmap pairs; /* pair -> PAIR_PENDING with its level, or PAIR_PROVEN with `failures` */
  uint32_t level;         /* number of phis on the path of the search */
  uint32_t failures;      /* a pair proven before the last failure may depend on the pair that failed */
  uint32_t steps, depth;
};
enum { PAIR_PENDING = 1, PAIR_PROVEN = 2 };
/* The level of a pair whose proof may use facts of one block, so that other proofs must not use the pair. */
#define NO_PHI_LEVEL UINT32_MAX

static bool is_same_object(struct same_object_proof *q, const struct cn_object_node *base,
                           const struct cn_object_node *derived, uint32_t b, bool facts);

static const struct cn_object_node *root_node_of(const struct cn_object_graph *o, const struct cn_object_node *node)
{
  return &o->nodes.at[node->root];
}

static bool is_same_class(const struct cn_object_node *a, const struct cn_object_node *b)
{
  return a->class == b->class && (a->class != FIXED_CLASS || (a->null && b->null));
}

/* True if `base` and `derived` point into one object in block `b` when the operands of `compare` are equal. Each
 * operand may then replace the other. */
static bool equality_shows_same_object(struct same_object_proof *q, LLVMValueRef compare,
                                       const struct cn_object_node *base, const struct cn_object_node *derived,
                                       uint32_t b)
{
  const struct cn_object_node *x = cn_objects_find_node(q->o, LLVMGetOperand(compare, 0), 0);
  const struct cn_object_node *y = cn_objects_find_node(q->o, LLVMGetOperand(compare, 1), 0);

  if (!x || !y)
    return false;
  x = root_node_of(q->o, x);
  y = root_node_of(q->o, y);
  return (is_same_class(base, x) && is_same_object(q, y, derived, b, false)) ||
         (is_same_class(base, y) && is_same_object(q, x, derived, b, false)) ||
         (is_same_class(derived, x) && is_same_object(q, base, y, b, false)) ||
         (is_same_class(derived, y) && is_same_object(q, base, x, b, false));
}

/* Like equality_shows_same_object(), with the condition `condition == outcome`. */
static bool condition_shows_same_object(struct same_object_proof *q, LLVMValueRef condition, bool outcome,
                                        const struct cn_object_node *base, const struct cn_object_node *derived,
                                        uint32_t b, int depth)
{
  if (LLVMIsAICmpInst(condition))
    return LLVMGetICmpPredicate(condition) == (outcome ? LLVMIntEQ : LLVMIntNE) &&
           equality_shows_same_object(q, condition, base, derived, b);
  if (depth == 0 || !LLVMIsAInstruction(condition))
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
  LLVMValueRef other = NULL;
  unsigned second = 1;
  if (opcode == LLVMSelect) { /* a conjunction or disjunction: `c ? d : false` or `c ? true : d` */
    other = LLVMIsAConstantInt(LLVMGetOperand(condition, outcome ? 2 : 1));
    second = outcome ? 1 : 2;
  }
  bool both = opcode == (outcome ? LLVMAnd : LLVMOr) || (other && (LLVMConstIntGetZExtValue(other) != 0) != outcome);
  return both &&
         (condition_shows_same_object(q, LLVMGetOperand(condition, 0), outcome, base, derived, b, depth - 1) ||
          condition_shows_same_object(q, LLVMGetOperand(condition, second), outcome, base, derived, b, depth - 1));
}

static bool edge_shows_same_object(struct same_object_proof *q, uint32_t from, uint32_t to,
                                   const struct cn_object_node *base, const struct cn_object_node *derived)
{
  const struct cn_cfg_block *block = &q->o->v->cfg.blocks[from];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  CN_ASSERT(!cn_is_branch(end) || block->succs[0] == to || block->succs[block->succ_count - 1] == to);
  return cn_is_branch(end) && LLVMIsConditional(end) && block->succs[0] != block->succs[1] &&
         condition_shows_same_object(q, LLVMGetCondition(end), block->succs[0] == to, base, derived, from, 4);
}

/* True if `merge` chooses input `i` only if `base` and `derived` point into one object. */
static bool choice_shows_same_object(struct same_object_proof *q, const struct cn_object_node *merge, uint32_t i,
                                     const struct cn_object_node *base, const struct cn_object_node *derived)
{
  uint32_t from = q->o->inputs.at[merge->first + i].from;

  CN_ASSERT(i < merge->count);
  base = root_node_of(q->o, base);
  derived = root_node_of(q->o, derived);
  if (LLVMIsAPHINode(merge->value))
    return from != merge->block && edge_shows_same_object(q, from, merge->block, base, derived);
  return LLVMIsASelectInst(merge->value) &&
         condition_shows_same_object(q, LLVMGetOperand(merge->value, 0), i == 0, base, derived, from, 4);
}

/* True if a branch on every path to block `b` shows that `base` and `derived` point into one object. */
static bool branch_shows_same_object(struct same_object_proof *q, const struct cn_object_node *base,
                                     const struct cn_object_node *derived, uint32_t b)
{
  const struct cn_cfg *cfg = &q->o->v->cfg;

  for (; b && q->steps < MAX_PROOF_STEPS; b = cfg->blocks[b].idom, q->steps++)
    if (cfg->blocks[b].pred_count == 1 && edge_shows_same_object(q, cfg->blocks[b].preds[0], b, base, derived))
      return true;
  return false;
}

/* True if the inputs of `merge` may be compared with `a`: for every select, and for a phi if `a` is defined before
 * control enters the phi's block. */
static bool is_defined_before_merge(const struct cn_object_graph *o, const struct cn_object_node *a,
                                    const struct cn_object_node *merge)
{
  if (!LLVMIsAInstruction(a->value) || !LLVMIsAPHINode(merge->value))
    return true;
  return a->block != merge->block && cn_cfg_dominates(&o->v->cfg, a->block, merge->block);
}

/* Compare each input of `merge` with `other`, or with the corresponding input of `other`. */
static bool have_inputs_same_object(struct same_object_proof *q, const struct cn_object_node *merge,
                                    const struct cn_object_node *other, bool merge_is_base, bool parallel)
{
  const struct cn_object_graph *o = q->o;
  bool phi = LLVMIsAPHINode(merge->value), all = true;

  CN_CHECK(!parallel || other->count == merge->count);
  q->level += phi;
  for (uint32_t i = 0; i < merge->count && all; i++) {
    const struct cn_object_node *x = &o->nodes.at[o->inputs.at[merge->first + i].node];
    const struct cn_object_node *y = parallel ? &o->nodes.at[o->inputs.at[other->first + i].node] : other;
    const struct cn_object_node *base = merge_is_base ? x : y, *derived = merge_is_base ? y : x;
    all = is_same_object(q, base, derived, o->inputs.at[merge->first + i].from, true) ||
          choice_shows_same_object(q, merge, i, base, derived);
  }
  q->level -= phi;
  return all;
}

static bool are_parallel_merges(const struct cn_object_node *a, const struct cn_object_node *b)
{
  return a->kind == CN_OBJECT_MERGE && b->kind == CN_OBJECT_MERGE && a->key == b->key &&
         a->key_scalar == b->key_scalar && a->count == b->count &&
         LLVMGetInstructionOpcode(a->value) == LLVMGetInstructionOpcode(b->value);
}

/* True if the definitions of `base` and `derived` show, for every block, that both point into one object. */
static bool definitions_show_same_object(struct same_object_proof *q, const struct cn_object_node *base,
                                         const struct cn_object_node *derived)
{
  const struct cn_object_graph *o = q->o;

  if (are_parallel_merges(base, derived) && have_inputs_same_object(q, derived, base, false, true))
    return true;
  q->failures++;
  if (derived->kind == CN_OBJECT_MERGE && is_defined_before_merge(o, base, derived) &&
      have_inputs_same_object(q, derived, base, false, false))
    return true;
  q->failures++;
  if (base->kind == CN_OBJECT_MERGE && is_defined_before_merge(o, derived, base) &&
      have_inputs_same_object(q, base, derived, true, false))
    return true;
  q->failures++;
  return false;
}

static void set_pair_state(struct same_object_proof *q, const void *pair, uint64_t state, uint32_t number)
{
  *cn_ptrmap_add(&q->pairs, pair, NULL) = state << 32 | number;
}

static bool prove_pair(struct same_object_proof *q, const void *pair, const struct cn_object_node *base,
                       const struct cn_object_node *derived, uint32_t b, bool facts)
{
  set_pair_state(q, pair, PAIR_PENDING, q->level);
  if (definitions_show_same_object(q, base, derived)) {
    set_pair_state(q, pair, PAIR_PROVEN, q->failures);
    return true;
  }
  set_pair_state(q, pair, PAIR_PENDING, NO_PHI_LEVEL);
  bool shown = facts && branch_shows_same_object(q, base, derived, b);
  set_pair_state(q, pair, 0, 0);
  return shown;
}

/* True if `base` and `derived` point into one object. `facts` allows proofs by branches on the path; the search uses
 * them once, before it passes a phi. */
static bool is_same_object(struct same_object_proof *q, const struct cn_object_node *base,
                           const struct cn_object_node *derived, uint32_t b, bool facts)
{
  if (base->class == derived->class || derived->class == UNDEFINED_CLASS)
    return true;
  if (q->steps++ >= MAX_PROOF_STEPS || q->depth >= MAX_PROOF_DEPTH)
    return false;
  base = root_node_of(q->o, base);
  derived = root_node_of(q->o, derived);
  uint64_t number = (uint64_t)(base - q->o->nodes.at) << 32 | (uint32_t)(derived - q->o->nodes.at);
  const void *pair = (const void *)(uintptr_t)(number + 1);
  if (cn_ptrmap_find(&q->o->proved, pair))
    return true;
  uint64_t state = *cn_ptrmap_add(&q->pairs, pair, NULL);
  if (state >> 32 == PAIR_PENDING)
    return (uint32_t)state != NO_PHI_LEVEL && q->level > (uint32_t)state;
  if (state >> 32 == PAIR_PROVEN && (uint32_t)state == q->failures)
    return true;
  q->depth++;
  bool result = prove_pair(q, pair, base, derived, b, facts);
  q->depth--;
  return result;
}

static void keep_proved_pairs(struct cn_object_graph *o, const struct same_object_proof *q)
{
  for (size_t i = 0; i < q->pairs.room; i++)
    if (q->pairs.entries[i].key && q->pairs.entries[i].value >> 32 == PAIR_PROVEN &&
        (uint32_t)q->pairs.entries[i].value == q->failures)
      cn_ptrmap_add(&o->proved, q->pairs.entries[i].key, NULL);
}

bool cn_objects_prove_same(struct cn_object_graph *o, const struct cn_object_node *base,
                           const struct cn_object_node *derived, uint32_t b)
{
  struct same_object_proof q = {.o = o};
  CN_CHECK(base && derived && b < o->v->cfg.count);
  bool result = is_same_object(&q, base, derived, b, true);

  CN_CHECK(q.depth == 0 && q.level == 0);
  if (result)
    keep_proved_pairs(o, &q);
  cn_ptrmap_free(&q.pairs);
  return result;
}
