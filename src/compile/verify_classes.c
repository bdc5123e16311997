/* SPDX-License-Identifier: Apache-2.0
 *
 * Which references point into one object. Needs: the nodes of struct cn_objects. Provides: their
 * classes, and cn_objects_same(). Breaks: nothing.
 *
 * Nodes of one class point into the same object wherever both are defined. Classes are value
 * numbers: a copy has its source's; a phi or select all of whose inputs have one class has that; and
 * those of one block or condition whose inputs agree one by one have the same. That is assumed and
 * refuted round loops until nothing changes (C. Click, K. Cooper, "Combining Analyses, Combining
 * Optimizations", 1995, section 3; T. Simpson, "Value-Driven Redundancy Elimination", 1996: passes
 * in reverse post-order with a hash table).
 *
 * What value numbers do not show may still be equal: a base may be undefined where nothing uses it,
 * and a branch may have shown two references to be equal. cn_objects_same() goes through the inputs
 * of phis for that. It compares values of one moment only: that a phi's input is some `b` says
 * nothing of the `b` of the next trip, so other than side by side two values meet only where one is
 * defined before the block of the other is entered.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/verify.h"

/* The classes that are no node's number. */
enum { FIXED = 0, UNDEFINED = 1, FIRST = 2, TOP = INT32_MAX };
/* Passes after which what still changes is taken for an object of its own. */
#define PASSES 200
/* Pairs that one question looks at. */
#define PAIRS 10000

/* ---- value numbers ---- */

struct table {
  uint32_t *slots; /* node + 1 */
  size_t room;
};

static uint64_t hash_of(const struct cn_objects *o, const struct cn_object *node)
{
  uint64_t hash = ((uintptr_t)node->key >> 4) * 31 + node->key_leaf;

  for (uint32_t i = node->first; i < node->first + node->count; i++)
    hash = (hash ^ o->nodes.at[o->inputs.at[i].node].class) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static bool agree(const struct cn_objects *o, const struct cn_object *a, const struct cn_object *b)
{
  if (a->key != b->key || a->key_leaf != b->key_leaf || a->count != b->count ||
      LLVMGetInstructionOpcode(a->value) != LLVMGetInstructionOpcode(b->value))
    return false;
  for (uint32_t i = 0; i < a->count; i++)
    if (o->nodes.at[o->inputs.at[a->first + i].node].class !=
        o->nodes.at[o->inputs.at[b->first + i].node].class)
      return false;
  return true;
}

/* The first node in this pass that chooses likewise, maybe `n` itself. */
static uint32_t look_up(const struct cn_objects *o, struct table *table, uint32_t n)
{
  const struct cn_object *node = &o->nodes.at[n];
  size_t i = hash_of(o, node) & (table->room - 1);

  for (; table->slots[i]; i = (i + 1) & (table->room - 1))
    if (agree(o, &o->nodes.at[table->slots[i] - 1], node))
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
      node->kind = CN_OBJECT_ORIGIN;
      class = o->order[at] + FIRST;
    }
    changed |= class != node->class;
    node->class = class;
    node->root = node->kind == CN_OBJECT_COPY ? o->nodes.at[node->from].root : o->order[at];
  }
  return changed;
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

void cn_objects_classify(struct cn_objects *o)
{
  struct table table = {.room = 64};
  unsigned passes = 0;

  for (size_t n = 0; n < o->nodes.count; n++) {
    o->nodes.at[n].class = TOP;
    if (o->nodes.at[n].kind == CN_OBJECT_MERGE)
      passes++;
  }
  while (table.room < 2 * (size_t)passes)
    table.room *= 2;
  table.slots = cn_alloc(table.room * sizeof *table.slots);
  passes = 0;
  while (pass_over(o, &table, passes > PASSES))
    passes++;
  free(table.slots);
  find_inside(o);
}

/* ---- equal by other reasons ---- */

struct question {
  const struct cn_objects *o;
  struct cn_ptrmap seen; /* pairs; met again round a loop, they are taken for the same */
};

/* Does `condition`, being `outcome`, say that the two are equal? */
static bool says_same(const struct cn_objects *o, LLVMValueRef condition, bool outcome,
                      const struct cn_object *a, const struct cn_object *b, int depth)
{
  if (LLVMIsAICmpInst(condition)) {
    const struct cn_object *x = cn_objects_find(o, LLVMGetOperand(condition, 0), 0);
    const struct cn_object *y = cn_objects_find(o, LLVMGetOperand(condition, 1), 0);
    if (!x || !y || LLVMGetICmpPredicate(condition) != (outcome ? LLVMIntEQ : LLVMIntNE))
      return false;
    if (b->class == FIXED && !b->null)
      return false;
    if (b->class == FIXED)
      return (x->class == a->class && y->null) || (y->class == a->class && x->null);
    return (x->class == a->class && y->class == b->class) ||
           (x->class == b->class && y->class == a->class);
  }
  if (depth == 0 || !LLVMIsAInstruction(condition))
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
  if (opcode == (outcome ? LLVMAnd : LLVMOr))
    return says_same(o, LLVMGetOperand(condition, 0), outcome, a, b, depth - 1) ||
           says_same(o, LLVMGetOperand(condition, 1), outcome, a, b, depth - 1);
  if (opcode != LLVMSelect)
    return false;
  LLVMValueRef other = LLVMIsAConstantInt(LLVMGetOperand(condition, outcome ? 2 : 1));
  return other && (LLVMConstIntGetZExtValue(other) != 0) != outcome &&
         (says_same(o, LLVMGetOperand(condition, 0), outcome, a, b, depth - 1) ||
          says_same(o, LLVMGetOperand(condition, outcome ? 1 : 2), outcome, a, b, depth - 1));
}

static bool edge_shows(const struct cn_objects *o, uint32_t from, uint32_t to,
                       const struct cn_object *a, const struct cn_object *b)
{
  const struct cn_block *block = &o->v->cfg.blocks[from];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || block->succs[0] == block->succs[1])
    return false;
  return says_same(o, LLVMGetCondition(end), block->succs[0] == to, a, b, 4);
}

/* Has a branch on every way to block `b` shown the two to be equal? */
static bool branch_shows(const struct cn_objects *o, const struct cn_object *x,
                         const struct cn_object *y, uint32_t b)
{
  const struct cn_cfg *cfg = &o->v->cfg;

  if (x->class == FIXED)
    return y->class != FIXED && branch_shows(o, y, x, b);
  for (; b; b = cfg->blocks[b].idom)
    if (cfg->blocks[b].pred_count == 1 && edge_shows(o, cfg->blocks[b].preds[0], b, x, y))
      return true;
  return false;
}

static const struct cn_object *source(const struct cn_objects *o, const struct cn_object *node)
{
  return &o->nodes.at[node->root];
}

/* May the inputs of `merge` be compared with `a`? Those of a select are of the same moment; those of
 * a phi are if `a` is defined before its block is entered. */
static bool precedes(const struct cn_objects *o, const struct cn_object *a,
                     const struct cn_object *merge)
{
  if (!LLVMIsAInstruction(a->value) || !LLVMIsAPHINode(merge->value))
    return true;
  return a->block != merge->block && cn_cfg_dominates(&o->v->cfg, a->block, merge->block);
}

static bool same(struct question *q, const struct cn_object *base, const struct cn_object *derived,
                 uint32_t b);

/* Each input of `merge` against `other`, or against the input of `other` beside it. */
static bool inputs_same(struct question *q, const struct cn_object *merge,
                        const struct cn_object *other, bool merge_is_base, bool parallel)
{
  const struct cn_objects *o = q->o;

  for (uint32_t i = 0; i < merge->count; i++) {
    const struct cn_object *x = &o->nodes.at[o->inputs.at[merge->first + i].node];
    const struct cn_object *y =
        parallel ? &o->nodes.at[o->inputs.at[other->first + i].node] : other;
    uint32_t from = o->inputs.at[merge->first + i].from;
    const struct cn_object *sx = source(o, x), *sy = source(o, y);
    if (from != merge->block && edge_shows(o, from, merge->block, sx, sy))
      continue;
    if (!(merge_is_base ? same(q, x, y, from) : same(q, y, x, from)))
      return false;
  }
  return true;
}

static bool is_beside(const struct cn_object *a, const struct cn_object *b)
{
  return a->kind == CN_OBJECT_MERGE && b->kind == CN_OBJECT_MERGE && a->key == b->key &&
         a->key_leaf == b->key_leaf && a->count == b->count &&
         LLVMGetInstructionOpcode(a->value) == LLVMGetInstructionOpcode(b->value);
}

static bool is_asked(struct question *q, const struct cn_object *base,
                     const struct cn_object *derived)
{
  uint64_t pair = (uint64_t)(base - q->o->nodes.at) << 32 | (uint32_t)(derived - q->o->nodes.at);
  bool fresh;

  cn_ptrmap_add(&q->seen, (const void *)(uintptr_t)(pair + 1), &fresh);
  return !fresh;
}

static bool same(struct question *q, const struct cn_object *base, const struct cn_object *derived,
                 uint32_t b)
{
  if (base->class == derived->class || derived->class == UNDEFINED)
    return true;
  base = source(q->o, base);
  derived = source(q->o, derived);
  if (is_asked(q, base, derived))
    return true;
  if (q->seen.count > PAIRS)
    return false;
  if (is_beside(base, derived))
    return inputs_same(q, derived, base, false, true);
  if (branch_shows(q->o, base, derived, b))
    return true;
  if (derived->kind == CN_OBJECT_MERGE && precedes(q->o, base, derived))
    return inputs_same(q, derived, base, false, false);
  if (base->kind == CN_OBJECT_MERGE && precedes(q->o, derived, base))
    return inputs_same(q, base, derived, true, false);
  return false;
}

bool cn_objects_same(const struct cn_objects *o, const struct cn_object *base,
                     const struct cn_object *derived, uint32_t b)
{
  struct question q = {.o = o};
  bool result = same(&q, base, derived, b);

  cn_ptrmap_free(&q.seen);
  return result;
}
