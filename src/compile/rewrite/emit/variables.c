/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the places where the debugger's variables need records of relocated references. Part of rewrite-statepoints;
 * relocate.c inserts the records with the definitions that it builds. A flow analysis per variable follows the last
 * record that gives the variable its value through the blocks up to the next record. A parse point that omits the value
 * ends it: the variable needs no records after this point.
 *
 * Needs: struct cn_refs. Provides: struct cn_variable_need, and records of lost values before parse points. Breaks:
 * nothing: only debug records are added, so the code is the same with and without debug information.
 */
#include "compile/rewrite/emit/variables.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "compile/core/memory_types.h"

enum { UNREACHED = UINT32_MAX }; /* the state of a variable before any record */
enum { DW_OP_CONSTU = 0x10, DW_OP_MINUS = 0x1c, DW_OP_PLUS_UCONST = 0x23, DW_OP_STACK_VALUE = 0x9f };
enum { DW_OP_LLVM_FRAGMENT = 0x1000 };

/* ---- records ---- */

static uint32_t find_or_add_variable(struct cn_variables *v, LLVMDbgRecordRef record, const struct cn_debug_part *part)
{
  LLVMMetadataRef node = LLVMDbgVariableRecordGetVariable(record), site = cn_debug_record_site(record);
  uint64_t *first = cn_ptrmap_add(&v->index, node, NULL);
  bool overlaps = false;

  for (uint32_t i = (uint32_t)*first; i; i = v->all.at[i - 1].next) {
    struct cn_variable *known = &v->all.at[i - 1];
    if (known->site != site)
      continue;
    if (cn_debug_is_same_part(&known->part, part))
      return i - 1;
    if (cn_debug_parts_overlap(&known->part, part))
      overlaps = known->overlaps = true;
  }
  struct cn_variable fresh = {.node = node,
                              .site = site,
                              .location = LLVMDbgRecordGetDebugLoc(record),
                              .part = *part,
                              .overlaps = overlaps,
                              .next = (uint32_t)*first};
  cn_push(&v->all, fresh);
  *first = v->all.count;
  return (uint32_t)v->all.count - 1;
}

/* True if the variable is a number, which stays the same when an object moves. */
static bool is_number(struct cn_ctx *ctx, LLVMMetadataRef variable)
{
  LLVMMetadataRef type = cn_debug_strip_typedefs(ctx, cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND));

  return type && LLVMGetMetadataKind(type) == LLVMDIBasicTypeMetadataKind;
}

static bool lists_reference(struct cn_ctx *ctx, LLVMDbgRecordRef record)
{
  unsigned count = cn_debug_record_value_count(ctx, record);

  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef value = LLVMDbgVariableRecordGetValue(record, i);
    if (value && cn_holds_ref(LLVMTypeOf(value)))
      return true;
  }
  return false;
}

/* The distance of `value` from its root. False if it is variable. */
static bool find_distance(struct cn_ctx *ctx, const struct cn_refs *refs, uint32_t value, uint64_t *distance)
{
  *distance = 0;
  while (refs->values.at[value].root != value) {
    if (!cn_types_gep_offset(ctx, refs->values.at[value].value, distance))
      return false;
    value = refs->values.at[value].from;
  }
  return true;
}

/* Set the state and the value of the variable after the record. */
static void read_record(struct cn_variables *v, const struct cn_refs *refs, LLVMDbgRecordRef record,
                        const struct cn_debug_part *part, struct cn_variable_change *change)
{
  LLVMValueRef value = part->list ? NULL : LLVMDbgVariableRecordGetValue(record, 0);
  uint64_t distance;

  change->value = value && !cn_is_immovable(value) ? cn_refs_index(refs, value) : CN_NO_INDEX;
  change->state = CN_VARIABLE_OTHER;
  if (part->list && lists_reference(v->ctx, record))
    change->state = CN_VARIABLE_MIXED;
  if (change->value == CN_NO_INDEX)
    return;
  bool follows = refs->values.at[change->value].scalar && part->plain &&
                 !is_number(v->ctx, LLVMDbgVariableRecordGetVariable(record)) &&
                 find_distance(v->ctx, refs, change->value, &distance);
  change->state = follows ? CN_VARIABLE_VALUES + change->value : CN_VARIABLE_MIXED;
}

/* The first instruction from `i` on that stays in place: a local moves to the entry block, and the start and end of its
 * lifetime are deleted (frame/describe_allocas.c). */
static LLVMValueRef staying_instruction_from(LLVMValueRef i)
{
  while (LLVMIsAAllocaInst(i) || cn_calls_intrinsic(i, "llvm.lifetime.start") ||
         cn_calls_intrinsic(i, "llvm.lifetime.end"))
    i = LLVMGetNextInstruction(i);
  return i;
}

/* Note the records before instruction `at`. Of a variable's changes from index `first` on only the last one counts. */
static void note_records(struct cn_variables *v, const struct cn_refs *refs, LLVMValueRef at,
                         struct cn_variable_change here, size_t first)
{
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(at); r; r = LLVMGetNextDbgRecord(r)) {
    if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
      continue;
    struct cn_debug_part part = cn_debug_record_part(v->ctx, r);
    here.variable = find_or_add_variable(v, r, &part);
    if (!cn_debug_record_sets_value(r)) {
      v->all.at[here.variable].declared = true;
      continue;
    }
    read_record(v, refs, r, &part, &here);
    v->all.at[here.variable].refers |= here.state != CN_VARIABLE_OTHER;
    size_t c = first;
    while (c < v->changes.count && v->changes.at[c].variable != here.variable)
      c++;
    if (c == v->changes.count)
      cn_push(&v->changes, here);
    else
      v->changes.at[c] = here;
  }
}

/* The first of the variables that describe the same inlined copy as `variable`. */
static uint32_t first_part_of(const struct cn_variables *v, uint32_t variable)
{
  uint32_t found = variable;

  for (uint32_t i = v->all.at[variable].next; i; i = v->all.at[i - 1].next)
    if (v->all.at[i - 1].site == v->all.at[variable].site)
      found = i - 1;
  return found;
}

/* Make the parts of a variable one if some of them overlap. References of such a variable are lost at the next parse
 * point. */
static void join_overlapping_parts(struct cn_variables *v)
{
  uint32_t *to = cn_alloc((v->all.count + 1) * sizeof *to);

  for (uint32_t i = 0; i < v->all.count; i++) {
    to[i] = first_part_of(v, i);
    v->all.at[to[i]].overlaps |= v->all.at[i].overlaps;
    v->all.at[to[i]].refers |= v->all.at[i].refers;
  }
  for (size_t c = 0; c < v->changes.count; c++) {
    struct cn_variable_change *change = &v->changes.at[c];
    struct cn_variable *whole = &v->all.at[to[change->variable]];
    if (!whole->overlaps)
      continue;
    whole->part = (struct cn_debug_part){0};
    change->variable = to[change->variable];
    change->state = change->state == CN_VARIABLE_OTHER ? CN_VARIABLE_OTHER : CN_VARIABLE_MIXED;
  }
  free(to);
}

static int by_variable_and_place(const void *a, const void *b)
{
  const struct cn_variable_change *x = a, *y = b;

  if (x->variable != y->variable)
    return x->variable < y->variable ? -1 : 1;
  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return (x->state > y->state) - (x->state < y->state); /* parts that were joined: MIXED is last */
}

/* Sort the changes, and leave out variables that never have a reference or are in memory. */
static void slice_changes_by_variable(struct cn_variables *v)
{
  size_t kept = 0;

  for (size_t c = 0; c < v->changes.count; c++) {
    const struct cn_variable *variable = &v->all.at[v->changes.at[c].variable];
    if (variable->refers && !variable->declared)
      v->changes.at[kept++] = v->changes.at[c];
  }
  v->changes.count = kept;
  if (kept)
    qsort(v->changes.at, kept, sizeof *v->changes.at, by_variable_and_place);
  for (size_t c = kept; c-- > 0;) {
    struct cn_variable *variable = &v->all.at[v->changes.at[c].variable];
    variable->changes = (uint32_t)c;
    variable->change_count++;
  }
}

void cn_variables_gather(struct cn_variables *v, struct cn_ctx *ctx, const struct cn_refs *refs)
{
  uint32_t pos = 0, point = 0;

  *v = (struct cn_variables){.ctx = ctx};
  if (!LLVMGetSubprogram(refs->cfg->function))
    return;
  for (uint32_t b = 0; b < refs->cfg->count; b++) {
    LLVMValueRef i = LLVMGetFirstInstruction(refs->cfg->blocks[b].block);
    for (; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
      continue;
    for (size_t first = v->changes.count; i; i = LLVMGetNextInstruction(i)) {
      struct cn_variable_change here = {
          .block = b, .pos = pos += 2, .before = staying_instruction_from(i), .point = CN_NO_INDEX};
      if (point < refs->points.count && refs->points.at[point].call == here.before)
        here.point = point;
      note_records(v, refs, i, here, first);
      if (here.before != i)
        continue;
      point += here.point != CN_NO_INDEX;
      first = v->changes.count;
    }
    CN_CHECK(pos == refs->last_pos[b]);
    pos += 2;
  }
  CN_CHECK(point == refs->points.count);
  join_overlapping_parts(v);
  slice_changes_by_variable(v);
  if (v->changes.count)
    v->builder = LLVMCreateDIBuilder(ctx->module);
}

void cn_variables_free(struct cn_variables *v)
{
  if (v->builder)
    LLVMDisposeDIBuilder(v->builder);
  cn_ptrmap_free(&v->index);
  cn_free(&v->all);
  cn_free(&v->changes);
  cn_free(&v->needs);
  cn_free(&v->lost);
}

/* ---- flow ---- */

struct variable_flow {
  struct cn_variables *variables;
  const struct cn_refs *refs;
  struct cn_live_range range; /* of value `ranged`, if that is not CN_NO_INDEX */
  uint32_t ranged;
  const struct cn_variable *variable;
  uint32_t number;             /* of the variable */
  uint32_t *entering;          /* per block: the state at its start */
  uint32_t *first_change;      /* per block: its first change, or CN_NO_INDEX */
  bool *queued;                /* per block */
  CN_VECTOR(uint32_t) reached; /* blocks with a state other than UNREACHED at the start */
  CN_VECTOR(uint32_t) work;
};

static uint32_t value_of_state(uint32_t state)
{
  CN_ASSERT(state >= CN_VARIABLE_VALUES && state != UNREACHED);
  return state - CN_VARIABLE_VALUES;
}

/* True if the value never moves, because its base is a constant. */
static bool is_fixed(const struct variable_flow *f, uint32_t value)
{
  return f->refs->values.at[f->refs->values.at[value].root].base == CN_NO_INDEX;
}

static bool crosses(const struct cn_refs *refs, uint32_t value, uint32_t point)
{
  const struct cn_ref_value *v = &refs->values.at[value];
  uint32_t low = 0;

  CN_BISECT(low, v->cross_count, middle, refs->crossings.at[v->cross + middle] < point);
  return low < v->cross_count && refs->crossings.at[v->cross + low] == point;
}

/* False at parse points outside of the inlined call that the variable belongs to. A variable ends there, because many
 * inlined calls would otherwise have records at all later parse points. */
static bool is_in_scope(const struct variable_flow *f, uint32_t point)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(f->refs->points.at[point].call);

  if (!f->variable->site)
    return true;
  while (at && at != f->variable->site)
    at = LLVMDILocationGetInlinedAt(at);
  return at != NULL;
}

/* The state after a parse point. */
static uint32_t state_after_point(const struct variable_flow *f, uint32_t state, uint32_t point)
{
  if (state < CN_VARIABLE_VALUES || !is_in_scope(f, point))
    return CN_VARIABLE_OTHER;
  uint32_t value = value_of_state(state);
  return is_fixed(f, value) || crosses(f->refs, f->refs->values.at[value].root, point) ? state : CN_VARIABLE_OTHER;
}

/* The state at the end of a block with `state` after position `pos`, without further records. */
static uint32_t state_at_block_end(const struct variable_flow *f, uint32_t block, uint32_t state, uint32_t from)
{
  for (uint32_t p = from; p < f->refs->first_point[block + 1] && state != CN_VARIABLE_OTHER; p++)
    state = state_after_point(f, state, p);
  return state;
}

static uint32_t meet_states(uint32_t a, uint32_t b)
{
  if (a == UNREACHED || a == b)
    return b;
  return b == UNREACHED ? a : CN_VARIABLE_MIXED;
}

static void flow_to_successors(struct variable_flow *f, uint32_t block, uint32_t state)
{
  const struct cn_cfg_block *from = &f->refs->cfg->blocks[block];

  for (uint32_t s = 0; s < from->succ_count; s++) {
    uint32_t to = from->succs[s], met = meet_states(f->entering[to], state);
    if (met == f->entering[to])
      continue;
    if (f->entering[to] == UNREACHED)
      cn_push(&f->reached, to);
    f->entering[to] = met;
    if (f->first_change[to] == CN_NO_INDEX && !f->queued[to]) {
      f->queued[to] = true;
      cn_push(&f->work, to);
    }
  }
}

/* Find the state of the variable at the start of each block that a record reaches. */
static void solve_variable(struct variable_flow *f)
{
  const struct cn_variable *variable = f->variable;
  const struct cn_variable_change *changes = &f->variables->changes.at[variable->changes];

  for (uint32_t c = variable->change_count; c-- > 0;)
    f->first_change[changes[c].block] = variable->changes + c;
  for (uint32_t c = 0; c < variable->change_count; c++) {
    bool last = c + 1 == variable->change_count || changes[c + 1].block != changes[c].block;
    uint32_t after = cn_first_point_after(f->refs, changes[c].block, changes[c].pos - 1);
    if (last)
      flow_to_successors(f, changes[c].block, state_at_block_end(f, changes[c].block, changes[c].state, after));
  }
  while (f->work.count) {
    uint32_t block = f->work.at[--f->work.count];
    f->queued[block] = false;
    flow_to_successors(f, block, state_at_block_end(f, block, f->entering[block], f->refs->first_point[block]));
  }
}

/* ---- needs ---- */

static void add_need(struct variable_flow *f, uint32_t value, struct cn_variable_need need)
{
  need.variable = f->number;
  need.of = value;
  need.value = f->refs->values.at[value].root;
  cn_push(&f->variables->needs, need);
}

static void note_lost(struct variable_flow *f, uint32_t point, LLVMValueRef before)
{
  cn_push(&f->variables->lost, (struct cn_variable_need){.variable = f->number, .point = point, .before = before});
}

/* True if a value that no parse point lists is valid at a record: no parse point lies between definition and record. */
static bool is_valid_at(struct variable_flow *f, uint32_t value, const struct cn_variable_change *change)
{
  const struct cn_ref_value *v = &f->refs->values.at[value];

  if (v->block == change->block)
    return v->pos <= change->pos && cn_first_point_after(f->refs, v->block, v->pos) ==
                                        cn_first_point_after(f->refs, change->block, change->pos - 1);
  if (cn_first_point_after(f->refs, change->block, change->pos - 1) != f->refs->first_point[change->block])
    return false;
  if (f->ranged != value)
    cn_live_range(&f->range, f->refs, value);
  f->ranged = value;
  return f->range.in[change->block] == f->range.stamp;
}

/* Plan the record that replaces a record of the program, if a parse point lies between the definition of the value and
 * the record. `state` is the state before the record. Returns the state after it. */
static uint32_t plan_at_record(struct variable_flow *f, uint32_t state, const struct cn_variable_change *change)
{
  if (change->state == CN_VARIABLE_OTHER || (change->value != CN_NO_INDEX && is_fixed(f, change->value)))
    return change->state;
  if (change->state == CN_VARIABLE_MIXED && change->value != CN_NO_INDEX &&
      f->refs->values.at[change->value].root != change->value && is_valid_at(f, change->value, change))
    return change->state; /* an address with a variable index, which is computed before the record */
  uint32_t root = change->value == CN_NO_INDEX ? CN_NO_INDEX : f->refs->values.at[change->value].root;
  if (root == CN_NO_INDEX || (!f->refs->values.at[root].cross_count && !is_valid_at(f, root, change))) {
    note_lost(f, change->point, change->before);
    return CN_VARIABLE_OTHER;
  }
  if (f->refs->values.at[root].cross_count)
    add_need(f, change->value,
             (struct cn_variable_need){.kind = CN_NEED_AT_RECORD,
                                       .original_only = change->state == CN_VARIABLE_MIXED,
                                       .replaces = state != UNREACHED && state != change->state,
                                       .block = change->block,
                                       .pos = change->pos,
                                       .point = change->point,
                                       .before = change->before});
  return change->state;
}

/* The position before which a record at the start of the block lies. */
static uint32_t first_position_of(const struct variable_flow *f, uint32_t block)
{
  return block ? f->refs->last_pos[block - 1] + 4 : 2;
}

/* True if the variable has its value from the function's start at a parse point of the entry block. */
static bool has_first_value_at(const struct variable_flow *f, const struct cn_parse_point *point)
{
  const struct cn_variable_change *changes = &f->variables->changes.at[f->variable->changes];
  bool changed = f->variable->change_count > 1 && changes[1].pos <= point->pos;

  return point->block == 0 && changes[0].pos == first_position_of(f, 0) && !changed;
}

/* Plan the records at a parse point; returns the state after it. `redefined`: a record of the program lies directly
 * after the point. */
static uint32_t plan_at_point(struct variable_flow *f, uint32_t state, uint32_t point, bool redefined)
{
  const struct cn_parse_point *at = &f->refs->points.at[point];

  if (state == CN_VARIABLE_OTHER || state == UNREACHED)
    return state;
  uint32_t after = state_after_point(f, state, point);
  if (after == CN_VARIABLE_OTHER)
    note_lost(f, point, NULL);
  else if (!is_fixed(f, value_of_state(state)) && !redefined)
    add_need(f, value_of_state(state),
             (struct cn_variable_need){.kind = CN_NEED_AFTER_POINT,
                                       .parameter = has_first_value_at(f, at),
                                       .block = at->block,
                                       .pos = at->pos,
                                       .point = point});
  return after;
}

/* Plan the records of one block, whose changes start at `change`, or CN_NO_INDEX. */
static void plan_block(struct variable_flow *f, uint32_t block, uint32_t change)
{
  const struct cn_variable_change *all = f->variables->changes.at;
  uint32_t state = f->entering[block], end = f->variable->changes + f->variable->change_count;
  uint32_t point = f->refs->first_point[block], points = f->refs->first_point[block + 1];

  if (change == CN_NO_INDEX)
    change = end;
  bool redefined = change < end && all[change].block == block && all[change].pos <= first_position_of(f, block) + 2;
  if (state != UNREACHED && state >= CN_VARIABLE_VALUES && !is_fixed(f, value_of_state(state)) && !redefined)
    add_need(f, value_of_state(state), (struct cn_variable_need){.kind = CN_NEED_AT_BLOCK, .block = block});
  for (;;) {
    bool more = change < end && all[change].block == block;
    if (!more && point == points)
      return;
    if (more && (point == points || all[change].pos <= f->refs->points.at[point].pos)) {
      state = plan_at_record(f, state, &all[change]);
      change++;
    } else {
      state = plan_at_point(f, state, point, more && all[change].pos <= f->refs->points.at[point].pos + 2);
      point++;
    }
  }
}

static void plan_variable(struct variable_flow *f)
{
  const struct cn_variable *variable = f->variable;
  const struct cn_variable_change *changes = &f->variables->changes.at[variable->changes];

  solve_variable(f);
  for (uint32_t c = 0; c < variable->change_count; c++)
    if (f->first_change[changes[c].block] == variable->changes + c)
      plan_block(f, changes[c].block, variable->changes + c);
  for (size_t r = 0; r < f->reached.count; r++)
    if (f->first_change[f->reached.at[r]] == CN_NO_INDEX)
      plan_block(f, f->reached.at[r], CN_NO_INDEX);
  for (uint32_t c = 0; c < variable->change_count; c++)
    f->first_change[changes[c].block] = CN_NO_INDEX;
  for (size_t r = 0; r < f->reached.count; r++)
    f->entering[f->reached.at[r]] = UNREACHED;
  f->reached.count = 0;
}

static int by_value(const void *a, const void *b)
{
  const struct cn_variable_need *x = a, *y = b;

  if (x->value != y->value)
    return x->value < y->value ? -1 : 1;
  if (x->variable != y->variable)
    return x->variable < y->variable ? -1 : 1;
  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return (int)y->kind - (int)x->kind; /* records before the point itself */
}

void cn_variables_plan(struct cn_variables *v, const struct cn_refs *refs)
{
  struct variable_flow f = {.variables = v, .refs = refs, .ranged = CN_NO_INDEX};
  uint32_t count = refs->cfg->count;

  if (!v->changes.count)
    return;
  cn_live_range_init(&f.range, refs->cfg);
  f.entering = cn_alloc(2 * (size_t)count * sizeof *f.entering);
  f.first_change = f.entering + count;
  memset(f.entering, 0xff, 2 * (size_t)count * sizeof *f.entering); /* UNREACHED, CN_NO_INDEX */
  f.queued = cn_alloc(count * sizeof *f.queued);
  for (f.number = 0; f.number < v->all.count; f.number++) {
    f.variable = &v->all.at[f.number];
    if (f.variable->change_count)
      plan_variable(&f);
  }
  if (v->needs.count)
    qsort(v->needs.at, v->needs.count, sizeof *v->needs.at, by_value);
  cn_live_range_free(&f.range);
  cn_free(&f.reached);
  cn_free(&f.work);
  free(f.entering);
  free(f.queued);
}

void cn_variables_find_needs(const struct cn_variables *v, uint32_t value, uint32_t *first, uint32_t *end)
{
  uint32_t low = 0;

  CN_BISECT(low, (uint32_t)v->needs.count, middle, v->needs.at[middle].value < value);
  *first = low;
  while (low < v->needs.count && v->needs.at[low].value == value)
    low++;
  *end = low;
}

/* ---- inserting ---- */

/* An expression for a value `distance` bytes after the record's value. */
static LLVMMetadataRef make_expression(const struct cn_variables *v, const struct cn_debug_part *part,
                                       uint64_t distance)
{
  uint64_t ops[8];
  size_t n = 0;

  if ((int64_t)distance < 0) {
    ops[n++] = DW_OP_CONSTU;
    ops[n++] = -distance;
    ops[n++] = DW_OP_MINUS;
  } else if (distance) {
    ops[n++] = DW_OP_PLUS_UCONST;
    ops[n++] = distance;
  }
  if (distance)
    ops[n++] = DW_OP_STACK_VALUE;
  if (part->bits) {
    ops[n++] = DW_OP_LLVM_FRAGMENT;
    ops[n++] = part->offset;
    ops[n++] = part->bits;
  }
  return LLVMDIBuilderCreateExpression(v->builder, ops, n);
}

void cn_variables_insert_record(const struct cn_variables *v, const struct cn_refs *refs,
                                const struct cn_variable_need *need, LLVMValueRef definition, LLVMValueRef before)
{
  const struct cn_variable *variable = &v->all.at[need->variable];
  uint64_t distance = 0;

  CN_CHECK(v->builder && LLVMIsAInstruction(before));
  if (definition)
    CN_CHECK(find_distance(v->ctx, refs, need->of, &distance));
  else
    definition = LLVMGetPoison(LLVMInt1TypeInContext(v->ctx->llvm));
  LLVMDIBuilderInsertDbgValueRecordBefore(v->builder, definition, variable->node,
                                          make_expression(v, &variable->part, distance), variable->location, before);
}

void cn_variables_insert_lost(const struct cn_variables *v, const struct cn_refs *refs)
{
  for (size_t i = 0; i < v->lost.count; i++) {
    const struct cn_variable_need *lost = &v->lost.at[i];
    LLVMValueRef before = lost->point == CN_NO_INDEX ? lost->before : refs->points.at[lost->point].call;
    cn_variables_insert_record(v, refs, lost, NULL, before);
  }
}
