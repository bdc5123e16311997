/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies references: those of one class point into one object. Needs: the nodes of struct cn_objects. Provides:
 * their classes, and cn_same_object(). Breaks: nothing.
 *
 * Nodes of one class point into the same object wherever both are defined. Classes are value numbers: a copy has its
 * source's; a phi or select whose inputs all have one class has that; and those of one block or condition whose inputs
 * agree one by one have the same. In loops that is assumed, and refuted until the classes are stable (C. Click, K.
 * Cooper, "Combining Analyses, Combining Optimizations", 1995, section 3; T. Simpson, "Value-Driven Redundancy
 * Elimination", 1996: passes in reverse post-order with a hash table).
 *
 * Two nodes of different classes may still be equal: a base may be undefined where it is unused, and a branch may have
 * shown two references to be equal. cn_same_object() searches the inputs of phis for that. It compares values of one
 * moment only: a phi's input `b` and the `b` of the next iteration are different values. So it compares inputs side by
 * side, or with a value that is defined before the phi's block is entered.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify/verify.h"

/* Classes beside the numbers of nodes. */
enum { FIXED = 0, UNDEFINED = 1, FIRST = 2, TOP = INT32_MAX };
/* After so many passes a merge that still changes gets its own class: a difference that the first pass saw, before all
 * inputs had a class, may circle in a cycle of phis for ever. cn_same_object() compares its inputs. */
#define MAX_ROUNDS 40
/* The most work for one question. */
#define MAX_STEPS 20000
#define MAX_DEPTH 2000

/* ---- value numbers ---- */

struct table {
  uint32_t *slots; /* node + 1 */
  size_t room;
};

static uint64_t hash_of(const struct cn_objects *o, const struct cn_object *node)
{
  uint64_t hash = ((uintptr_t)node->key >> 4) * 31 + node->key_scalar;

  for (uint32_t i = node->first; i < node->first + node->count; i++)
    hash = (hash ^ o->nodes.at[o->inputs.at[i].node].class) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool has_same_inputs(const struct cn_objects *o, const struct cn_object *a, const struct cn_object *b)
{
  if (a->key != b->key || a->key_scalar != b->key_scalar || a->count != b->count ||
      LLVMGetInstructionOpcode(a->value) != LLVMGetInstructionOpcode(b->value))
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (o->nodes.at[o->inputs.at[a->first + i].node].class != o->nodes.at[o->inputs.at[b->first + i].node].class)
      return false;
  return true;
}

/* The first node in this pass with the same choice, maybe `n` itself. */
static uint32_t look_up(const struct cn_objects *o, struct table *table, uint32_t n)
{
  const struct cn_object *node = &o->nodes.at[n];
  size_t i = hash_of(o, node) & (table->room - 1);

  CN_ASSERT(node->kind == CN_OBJECT_MERGE && (table->room & (table->room - 1)) == 0);
  for (; table->slots[i]; i = (i + 1) & (table->room - 1))
    if (has_same_inputs(o, &o->nodes.at[table->slots[i] - 1], node))
      return table->slots[i] - 1;
  table->slots[i] = n + 1;
  return n;
}

static uint32_t merge_class(const struct cn_objects *o, struct table *table, uint32_t n)
{
  const struct cn_object *node = &o->nodes.at[n];
  uint32_t all = TOP;

  for (uint32_t i = node->first; i < node->first + node->count; i++) {
    uint32_t class = o->nodes.at[o->inputs.at[i].node].class;
    if (class == TOP || class == all)
      continue;
    if (all != TOP)
      return look_up(o, table, n) + FIRST;
    all = class;
  }
  return all;
}

static uint32_t class_of(const struct cn_objects *o, struct table *table, uint32_t n)
{
  const struct cn_object *node = &o->nodes.at[n];

  if (node->unsettled)
    return n + FIRST;
  switch (node->kind) {
  case CN_OBJECT_FIXED:
    return FIXED;
  case CN_OBJECT_UNDEFINED:
    return UNDEFINED;
  case CN_OBJECT_COPY:
    return o->nodes.at[node->from].class;
  case CN_OBJECT_MERGE:
    return merge_class(o, table, n);
  case CN_OBJECT_ORIGIN:
    break;
  }
  return n + FIRST;
}

static bool pass_over(struct cn_objects *o, struct table *table, bool settle)
{
  bool changed = false;

  for (size_t i = 0; i < table->room; i++)
    table->slots[i] = 0;
  for (uint32_t at = 0; at < o->ordered; at++) {
    struct cn_object *node = &o->nodes.at[o->order[at]];
    uint32_t class = class_of(o, table, o->order[at]);
    if (settle && class != node->class && node->kind == CN_OBJECT_MERGE) {
      node->unsettled = true;
      class = o->order[at] + FIRST;
    }
    changed |= class != node->class;
    node->class = class;
    node->root = node->kind == CN_OBJECT_COPY ? o->nodes.at[node->from].root : o->order[at];
  }
  return changed;
}

bool cn_objects_fixed(const struct cn_object *node)
{
  return node->class == FIXED;
}

/* ---- pointers into the middle ---- */

static bool is_inside(const struct cn_objects *o, const struct cn_object *node)
{
  if (node->kind == CN_OBJECT_COPY && !node->start && node->class >= FIRST)
    return node->moves || o->nodes.at[node->from].inside;
  if (node->kind == CN_OBJECT_MERGE)
    for (uint32_t i = node->first; i < node->first + node->count; i++)
      if (o->nodes.at[o->inputs.at[i].node].inside)
        return true;
  return false;
}

static void find_inside(struct cn_objects *o)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (uint32_t at = 0; at < o->ordered; at++) {
      struct cn_object *node = &o->nodes.at[o->order[at]];
      if (!node->inside && is_inside(o, node))
        node->inside = changed = true;
    }
  }
}

void cn_same_object_classify(struct cn_objects *o)
{
  struct table table = {.room = 64};
  unsigned passes = 0;

  CN_CHECK(o->nodes.count < TOP - FIRST);
  for (size_t n = 0; n < o->nodes.count; n++) {
    o->nodes.at[n].class = TOP;
    if (o->nodes.at[n].kind == CN_OBJECT_MERGE)
      passes++;
  }
  while (table.room < 2 * (size_t)passes)
    table.room *= 2;
  CN_CHECK(table.room > passes); /* a search in a full table might run for ever */
  table.slots = cn_alloc(table.room * sizeof *table.slots);
  passes = 0;
  while (pass_over(o, &table, passes > MAX_ROUNDS))
    passes++;
  free(table.slots);
  find_inside(o);
  CN_ASSERT_VALID(cn_objects_wrong(o));
}

/* ---- equal for other reasons ---- */

/* A pending pair counts as the same when the search meets it again across a phi, that is, at another moment: then each
 * iteration rests on the one before. Met again at the same moment it would rest on itself. */
struct question {
  const struct cn_objects *o;
  struct cn_ptrmap pairs; /* pair -> PENDING or PROVEN, and a number */
  uint32_t level;         /* phis on the path of the search */
  uint32_t failures;      /* a pair proven before the last one may rest on a pair that failed */
  uint32_t steps, depth;
};
enum { PENDING = 1, PROVEN = 2 };
/* The level of a pair that may depend on the block asked for: other proofs must not rest on it. */
#define NO_LEVEL UINT32_MAX

static bool is_same_object(struct question *q, const struct cn_object *base, const struct cn_object *derived,
                           uint32_t b, bool facts);

static const struct cn_object *root_of(const struct cn_objects *o, const struct cn_object *node)
{
  return &o->nodes.at[node->root];
}

static bool is_same_class(const struct cn_object *a, const struct cn_object *b)
{
  return a->class == b->class && (a->class != FIXED || (a->null && b->null));
}

/* True if the two point into one object in block `b`, where `compare` came out as equal. Either of its operands may
 * stand for the other. */
static bool equality_shows(struct question *q, LLVMValueRef compare, const struct cn_object *base,
                           const struct cn_object *derived, uint32_t b)
{
  const struct cn_object *x = cn_objects_find(q->o, LLVMGetOperand(compare, 0), 0);
  const struct cn_object *y = cn_objects_find(q->o, LLVMGetOperand(compare, 1), 0);

  if (!x || !y)
    return false;
  x = root_of(q->o, x);
  y = root_of(q->o, y);
  return (is_same_class(base, x) && is_same_object(q, y, derived, b, false)) ||
         (is_same_class(base, y) && is_same_object(q, x, derived, b, false)) ||
         (is_same_class(derived, x) && is_same_object(q, base, y, b, false)) ||
         (is_same_class(derived, y) && is_same_object(q, base, x, b, false));
}

/* Like equality_shows(), where `condition` came out as `outcome`. */
static bool condition_shows(struct question *q, LLVMValueRef condition, bool outcome, const struct cn_object *base,
                            const struct cn_object *derived, uint32_t b, int depth)
{
  if (LLVMIsAICmpInst(condition))
    return LLVMGetICmpPredicate(condition) == (outcome ? LLVMIntEQ : LLVMIntNE) &&
           equality_shows(q, condition, base, derived, b);
  if (depth == 0 || !LLVMIsAInstruction(condition))
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
  LLVMValueRef other = NULL;
  unsigned second = 1;
  if (opcode == LLVMSelect) { /* `c ? d : false` and `c ? true : d` */
    other = LLVMIsAConstantInt(LLVMGetOperand(condition, outcome ? 2 : 1));
    second = outcome ? 1 : 2;
  }
  bool both = opcode == (outcome ? LLVMAnd : LLVMOr) || (other && (LLVMConstIntGetZExtValue(other) != 0) != outcome);
  return both && (condition_shows(q, LLVMGetOperand(condition, 0), outcome, base, derived, b, depth - 1) ||
                  condition_shows(q, LLVMGetOperand(condition, second), outcome, base, derived, b, depth - 1));
}

static bool edge_shows(struct question *q, uint32_t from, uint32_t to, const struct cn_object *base,
                       const struct cn_object *derived)
{
  const struct cn_block *block = &q->o->v->cfg.blocks[from];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  CN_ASSERT(!cn_is_branch(end) || block->succs[0] == to || block->succs[block->succ_count - 1] == to);
  return cn_is_branch(end) && LLVMIsConditional(end) && block->succs[0] != block->succs[1] &&
         condition_shows(q, LLVMGetCondition(end), block->succs[0] == to, base, derived, from, 4);
}

/* True if the choice of input `i` by `merge` shows it. */
static bool choice_shows(struct question *q, const struct cn_object *merge, uint32_t i, const struct cn_object *base,
                         const struct cn_object *derived)
{
  uint32_t from = q->o->inputs.at[merge->first + i].from;

  CN_ASSERT(i < merge->count);
  base = root_of(q->o, base);
  derived = root_of(q->o, derived);
  if (LLVMIsAPHINode(merge->value))
    return from != merge->block && edge_shows(q, from, merge->block, base, derived);
  return LLVMIsASelectInst(merge->value) &&
         condition_shows(q, LLVMGetOperand(merge->value, 0), i == 0, base, derived, from, 4);
}

/* True if a branch on every path to block `b` shows it. */
static bool branch_shows(struct question *q, const struct cn_object *base, const struct cn_object *derived, uint32_t b)
{
  const struct cn_cfg *cfg = &q->o->v->cfg;

  for (; b && q->steps < MAX_STEPS; b = cfg->blocks[b].idom, q->steps++)
    if (cfg->blocks[b].pred_count == 1 && edge_shows(q, cfg->blocks[b].preds[0], b, base, derived))
      return true;
  return false;
}

/* True if the inputs of `merge` may be compared with `a`. A select's are of the same moment; a phi's are if `a` is
 * defined before its block is entered. */
static bool is_defined_before(const struct cn_objects *o, const struct cn_object *a, const struct cn_object *merge)
{
  if (!LLVMIsAInstruction(a->value) || !LLVMIsAPHINode(merge->value))
    return true;
  return a->block != merge->block && cn_cfg_dominates(&o->v->cfg, a->block, merge->block);
}

/* Compare each input of `merge` with `other`, or with the corresponding input of `other`. */
static bool inputs_same(struct question *q, const struct cn_object *merge, const struct cn_object *other,
                        bool merge_is_base, bool parallel)
{
  const struct cn_objects *o = q->o;
  bool phi = LLVMIsAPHINode(merge->value), all = true;

  CN_CHECK(!parallel || other->count == merge->count);
  q->level += phi;
  for (uint32_t i = 0; i < merge->count && all; i++) {
    const struct cn_object *x = &o->nodes.at[o->inputs.at[merge->first + i].node];
    const struct cn_object *y = parallel ? &o->nodes.at[o->inputs.at[other->first + i].node] : other;
    const struct cn_object *base = merge_is_base ? x : y, *derived = merge_is_base ? y : x;
    all = is_same_object(q, base, derived, o->inputs.at[merge->first + i].from, true) ||
          choice_shows(q, merge, i, base, derived);
  }
  q->level -= phi;
  return all;
}

static bool is_beside(const struct cn_object *a, const struct cn_object *b)
{
  return a->kind == CN_OBJECT_MERGE && b->kind == CN_OBJECT_MERGE && a->key == b->key &&
         a->key_scalar == b->key_scalar && a->count == b->count &&
         LLVMGetInstructionOpcode(a->value) == LLVMGetInstructionOpcode(b->value);
}

/* By the definitions of the two, which hold everywhere. */
static bool made_same(struct question *q, const struct cn_object *base, const struct cn_object *derived)
{
  const struct cn_objects *o = q->o;

  if (is_beside(base, derived) && inputs_same(q, derived, base, false, true))
    return true;
  q->failures++;
  if (derived->kind == CN_OBJECT_MERGE && is_defined_before(o, base, derived) &&
      inputs_same(q, derived, base, false, false))
    return true;
  q->failures++;
  if (base->kind == CN_OBJECT_MERGE && is_defined_before(o, derived, base) &&
      inputs_same(q, base, derived, true, false))
    return true;
  q->failures++;
  return false;
}

static void set_state(struct question *q, const void *pair, uint64_t state, uint32_t number)
{
  *cn_ptrmap_add(&q->pairs, pair, NULL) = state << 32 | number;
}

static bool prove_pair(struct question *q, const void *pair, const struct cn_object *base,
                       const struct cn_object *derived, uint32_t b, bool facts)
{
  set_state(q, pair, PENDING, q->level);
  if (made_same(q, base, derived)) {
    set_state(q, pair, PROVEN, q->failures);
    return true;
  }
  set_state(q, pair, PENDING, NO_LEVEL);
  bool shown = facts && branch_shows(q, base, derived, b);
  set_state(q, pair, 0, 0);
  return shown;
}

/* `facts`: true if branches on the path may be used. They are used once, until the search passes a phi. */
static bool is_same_object(struct question *q, const struct cn_object *base, const struct cn_object *derived,
                           uint32_t b, bool facts)
{
  if (base->class == derived->class || derived->class == UNDEFINED)
    return true;
  if (q->steps++ >= MAX_STEPS || q->depth >= MAX_DEPTH)
    return false;
  base = root_of(q->o, base);
  derived = root_of(q->o, derived);
  uint64_t number = (uint64_t)(base - q->o->nodes.at) << 32 | (uint32_t)(derived - q->o->nodes.at);
  const void *pair = (const void *)(uintptr_t)(number + 1);
  if (cn_ptrmap_find(&q->o->proved, pair))
    return true;
  uint64_t state = *cn_ptrmap_add(&q->pairs, pair, NULL);
  if (state >> 32 == PENDING)
    return (uint32_t)state != NO_LEVEL && q->level > (uint32_t)state;
  if (state >> 32 == PROVEN && (uint32_t)state == q->failures)
    return true;
  q->depth++;
  bool result = prove_pair(q, pair, base, derived, b, facts);
  q->depth--;
  return result;
}

/* Keep what this question proved for the next. */
static void keep_proved_pairs(struct cn_objects *o, const struct question *q)
{
  for (size_t i = 0; i < q->pairs.room; i++)
    if (q->pairs.entries[i].key && q->pairs.entries[i].value >> 32 == PROVEN &&
        (uint32_t)q->pairs.entries[i].value == q->failures)
      cn_ptrmap_add(&o->proved, q->pairs.entries[i].key, NULL);
}

bool cn_same_object(struct cn_objects *o, const struct cn_object *base, const struct cn_object *derived, uint32_t b)
{
  struct question q = {.o = o};
  CN_CHECK(base && derived && b < o->v->cfg.count);
  bool result = is_same_object(&q, base, derived, b, true);

  CN_CHECK(q.depth == 0 && q.level == 0);
  if (result)
    keep_proved_pairs(o, &q);
  cn_ptrmap_free(&q.pairs);
  return result;
}
