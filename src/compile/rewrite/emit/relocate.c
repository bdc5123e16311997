/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocates references by direct SSA construction. Part of rewrite-statepoints. At each parse point that a value
 * crosses, the value gets a new definition: a relocate, or a rematerialisation from the relocate of its base
 * (rematerialise.c). Each use is rewritten to the definition that reaches it, with phis exactly at the blocks that
 * different definitions enter. The file handles one value at a time, in time linear in the live range. The file first
 * records the definition that each read needs, then builds the definitions that are read, before their first readers
 * (late-insertion-slides-2014, "Finding references which need relocated"), and then sets the operands of the reads.
 *
 * Needs: emitted statepoints with live sets; attached bases. Provides: SSA form, with every use of a reference
 * relocated at the last safepoint before the use. Breaks: struct cn_refs (uses are outdated).
 *
 * M. Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013) for the idea to build
 * definitions on demand; value_flow.c finds the minimal places of phis.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/sorted.h"
#include "compile/analysis/value_flow.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/rewrite/emit/emitter.h"
#include "compile/rewrite/emit/rematerialise.h"
#include "compile/rewrite/emit/variables.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/values/refs.h"

/* A read of a definition; the reader gets its operand after the definition is built. */
struct definition_read {
  enum { READ_USE, READ_LIVE, READ_INCOMING, READ_OPERAND } kind;
  uint32_t number; /* the number of the definition */
  /* `at`, by kind: the index of the use, the crossing with the gc-live entry, the node of a phi (`block`: its
   * predecessor), or the operand of `user`. */
  uint32_t at, block;
  LLVMValueRef user;
};

/* A definition that debug records name. */
struct shown_definition {
  bool wanted;
  LLVMValueRef relocate; /* a relocate directly after the parse point, or null */
};

/* The definitions of a value, numbered for value_flow.c. 1 is the original. The relocates have the next numbers, in the
 * order of the crossings. In a function with pads of type token, the relocates on the unwind edges follow, also in the
 * order of the crossings. The last numbers are the definitions that enter the blocks of the live range. */
struct value_relocation {
  struct cn_emitter *emitter;
  struct cn_refs *refs;
  struct cn_live_range range;
  uint32_t *crossed, *last_cross; /* per block: last_cross is the last crossing if crossed == range.stamp */
  /* per block: 1 + the parse point that unwinds to it if the block is a landing pad of type token, else 0; null without
   * such pads */
  uint32_t *pads;
  const struct cn_ref_value *v;
  uint32_t value, sources;
  /* per block of the range: its definition, from value_flow.c; null for an empty range */
  uint32_t *top;
  LLVMValueRef *made;             /* per number */
  struct cn_sink_place *places;   /* per number up to `sources`: the place for the definition */
  bool *kept;                     /* per number up to `sources`: built even if unread */
  struct shown_definition *shown; /* per number up to `sources` */
  uint32_t made_room, place_room, kept_room, shown_room;
  CN_VECTOR(uint32_t) todo; /* nodes whose phi still lacks operands */
  CN_VECTOR(struct definition_read) reads;
  struct cn_rematerialised remade;
  struct cn_variables *variables;
  uint32_t need, need_end; /* slice of variables->needs */
};

static const struct cn_parse_point *crossing_point_at(const struct value_relocation *web, uint32_t i)
{
  return &web->refs->points.at[web->refs->crossings.at[web->v->cross + i]];
}

/* The number of the first relocate on an unwind edge. */
static uint32_t first_pad_definition(const struct value_relocation *web)
{
  return 2 + web->v->cross_count;
}

static inline uint32_t crossings_before(const struct value_relocation *web, uint32_t pos)
{
  uint32_t low = 0;

  CN_BISECT(low, web->v->cross_count, middle, crossing_point_at(web, middle)->pos < pos);
  return low;
}

static uint32_t entering_definition_of(const struct value_relocation *web, uint32_t block)
{
  CN_CHECK(web->range.in[block] == web->range.stamp);
  if (web->pads && web->pads[block]) {
    const struct cn_parse_point *point = &web->refs->points.at[web->pads[block] - 1];
    uint32_t i = crossings_before(web, point->pos);
    CN_CHECK(i < web->v->cross_count && crossing_point_at(web, i) == point);
    return first_pad_definition(web) + i;
  }
  return web->sources + 1 + web->range.slot[block];
}

static uint32_t definition_at_block_end(const struct value_relocation *web, uint32_t block)
{
  if (web->crossed[block] == web->range.stamp)
    return 2 + web->last_cross[block];
  return block == web->v->block ? 1 : entering_definition_of(web, block);
}

static uint32_t resolve_definition(const struct value_relocation *web, uint32_t number)
{
  return number > web->sources ? web->top[number - web->sources - 1] : number;
}

static uint32_t reaching_definition_at(const struct value_relocation *web, uint32_t block, uint32_t pos)
{
  uint32_t before = crossings_before(web, pos);

  CN_ASSERT(block < web->refs->cfg->count);
  if (before > 0 && crossing_point_at(web, before - 1)->block == block)
    return 2 + before - 1;
  return block == web->v->block ? 1 : resolve_definition(web, entering_definition_of(web, block));
}

/* ---- reads and their places ---- */

static LLVMValueRef build_relocation_phi(struct value_relocation *web, uint32_t node)
{
  CN_CHECK(node < web->range.blocks.count);
  LLVMBuilderRef builder = cn_emitter_builder(web->emitter);
  LLVMBasicBlockRef block = web->refs->cfg->blocks[web->range.blocks.at[node]].block;
  size_t length;

  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, LLVMGetFirstInstruction(block));
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMGetValueName2(web->v->value, &length);
  bool named = length > 0 && cn_emitter_has_names(web->emitter);
  LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(web->v->value), named ? "moved" : "");
  cn_push(&web->todo, node);
  return phi;
}

static void note_read(struct value_relocation *web, struct definition_read read, struct cn_sink_place place)
{
  uint32_t number = read.number;

  CN_ASSERT(number >= 1 && number <= web->sources + web->range.blocks.count);
  if (number > web->sources) {
    if (!web->made[number])
      web->made[number] = build_relocation_phi(web, number - web->sources - 1);
  } else if (number >= first_pad_definition(web)) {
    web->places[number].state = CN_SINK_AFTER_STATEPOINT; /* the relocate is in the pad */
  } else if (number > 1) {
    cn_sink_join_places(web->refs, &web->places[number], place);
  }
  cn_push(&web->reads, read);
}

static struct cn_sink_place sink_place_at_block_end(const struct value_relocation *web, uint32_t block)
{
  const struct cn_refs *refs = web->refs;

  return (struct cn_sink_place){.state = CN_SINK_BEFORE_INSTRUCTION,
                                .before = LLVMGetBasicBlockTerminator(refs->cfg->blocks[block].block),
                                .block = block,
                                .pos = refs->last_pos[block]};
}

static struct cn_sink_place sink_place_of_use(const struct value_relocation *web, const struct cn_ref_use *use)
{
  struct cn_sink_place place = {
      .state = CN_SINK_BEFORE_INSTRUCTION, .before = use->user, .block = use->block, .pos = use->pos};

  if (use->point != CN_NO_INDEX)
    place.before = web->refs->points.at[use->point].call;
  else if (LLVMIsAPHINode(use->user))
    place = sink_place_at_block_end(web, use->block);
  return place;
}

static void note_phi_inputs(struct value_relocation *web)
{
  while (web->todo.count) {
    uint32_t node = web->todo.at[--web->todo.count];
    const struct cn_cfg_block *block = &web->refs->cfg->blocks[web->range.blocks.at[node]];
    for (uint32_t p = 0; p < block->pred_count; p++) {
      uint32_t from = block->preds[p];
      struct definition_read read = {READ_INCOMING, resolve_definition(web, definition_at_block_end(web, from)),
                                     web->sources + 1 + node, from, NULL};
      note_read(web, read, sink_place_at_block_end(web, from));
    }
  }
}

static void solve_phi_places(struct value_relocation *web)
{
  uint32_t nodes = (uint32_t)web->range.blocks.count;
  const struct cn_cfg_block *blocks = web->refs->cfg->blocks;

  web->top = NULL;
  if (nodes == 0)
    return;
  uint32_t *first = cn_alloc((nodes + 1) * sizeof *first);
  uint32_t total = 0;

  for (uint32_t n = 0; n < nodes; n++) {
    first[n] = total;
    total += blocks[web->range.blocks.at[n]].pred_count;
  }
  first[nodes] = total;
  uint32_t *inputs = cn_alloc(total * sizeof *inputs);
  for (uint32_t n = 0; n < nodes; n++)
    for (uint32_t p = first[n]; p < first[n + 1]; p++)
      inputs[p] = definition_at_block_end(web, blocks[web->range.blocks.at[n]].preds[p - first[n]]);
  web->top = cn_value_flow_find_origins(web->sources, nodes, first, inputs);
  CN_CHECK(web->top);
  free(inputs);
  free(first);
}

/* The copy of the GEP chain `use->via` for `use`, computed from definition `number`: an existing copy that dominates
 * the use, or a new copy. */
static LLVMValueRef find_or_build_chain_copy(struct value_relocation *web, const struct cn_ref_use *use,
                                             uint32_t number, struct cn_rematerialised_copies *copies)
{
  struct cn_sink_place place = sink_place_of_use(web, use);
  LLVMValueRef copy = cn_rematerialised_copies_find(copies, web->refs, use->via, number, place.block);
  LLVMValueRef first;

  if (copy)
    return copy;
  copy = cn_rematerialise_gep_chain(cn_emitter_builder(web->emitter), web->refs, use->via, web->value, place.before,
                                    &first);
  cn_rematerialised_copies_add(copies, use->via, number, place.block, copy);
  place.before = first;
  place.copy = true;
  note_read(web, (struct definition_read){READ_OPERAND, number, 0, 0, first}, place);
  return copy;
}

static void note_reads_of_uses(struct value_relocation *web)
{
  struct cn_rematerialised_copies copies = {0};

  for (uint32_t u = web->v->uses; u < web->v->uses + web->v->use_count; u++) {
    const struct cn_ref_use *use = &web->refs->uses.at[u];
    const struct cn_ref_value *via = use->via == CN_NO_INDEX ? NULL : &web->refs->values.at[use->via];
    uint32_t number = reaching_definition_at(web, use->block, use->pos);
    if (use->listed)
      continue; /* note_reads_at_parse_points() handles it */
    if (number == (via ? reaching_definition_at(web, via->block, via->pos) : 1))
      continue;
    if (via)
      cn_emitter_replace_use(web->refs, use, find_or_build_chain_copy(web, use, number, &copies));
    else
      note_read(web, (struct definition_read){READ_USE, number, u, 0, NULL}, sink_place_of_use(web, use));
  }
  cn_rematerialised_copies_free(&copies);
}

/* Record the reads of the value by its gc-live entries and by rematerialised values. */
static void note_reads_at_parse_points(struct value_relocation *web)
{
  const struct cn_rematerialised_read *extra;

  for (extra = cn_rematerialised_first_read(&web->remade, web->value); extra;
       extra = cn_rematerialised_next_read(&web->remade, extra)) {
    const struct cn_parse_point *point = &web->refs->points.at[extra->point];
    uint32_t number = reaching_definition_at(web, point->block, point->pos + 1);
    note_read(web, (struct definition_read){READ_OPERAND, number, extra->operand, 0, extra->user}, extra->place);
  }
  for (uint32_t i = 0; i < web->v->cross_count && !web->v->rematerialised; i++) {
    const struct cn_parse_point *point = crossing_point_at(web, i);
    uint32_t number = reaching_definition_at(web, point->block, point->pos);
    if (number == 1)
      continue; /* the gc-live entry already is the original value */
    struct cn_sink_place place = {
        .state = CN_SINK_BEFORE_INSTRUCTION, .before = point->call, .block = point->block, .pos = point->pos};
    note_read(web, (struct definition_read){READ_LIVE, number, i, 0, NULL}, place);
  }
}

/* Also relocate values that a statepoint lists only during its call: the code generator writes only relocated values
 * into the stack map, and of deoptimisation state also other values, as bases. */
static void keep_definitions_listed_during(struct value_relocation *web, uint32_t value)
{
  const struct cn_ref_value *v = &web->refs->values.at[value];

  for (uint32_t u = v->uses; u < v->uses + v->use_count; u++) {
    const struct cn_ref_use *use = &web->refs->uses.at[u];
    if (!use->after || (use->state && v->base == value))
      continue;
    uint32_t number = reaching_definition_at(web, use->block, use->pos + 1);
    if (number > 1 && number <= web->sources)
      web->kept[number] = true;
  }
}

static void keep_listed_definitions(struct value_relocation *web)
{
  keep_definitions_listed_during(web, web->value);
  for (uint32_t d = web->v->base == web->value ? web->v->derived : CN_NO_INDEX; d != CN_NO_INDEX;
       d = web->refs->values.at[d].derived)
    keep_definitions_listed_during(web, d);
}

/* ---- making and reading ---- */

static void build_relocates_in_pads(struct value_relocation *web)
{
  for (uint32_t n = first_pad_definition(web); n <= web->sources; n++)
    if (web->places[n].state != CN_SINK_UNREAD)
      web->made[n] = cn_emit_relocate_in_pad(
          web->emitter, web->refs, web->refs->crossings.at[web->v->cross + n - first_pad_definition(web)], web->value);
}

/* Build the relocate that debug records of definition `number` name, directly after the parse point and in its block.
 * The code generator emits no code for a second relocate of one value there, and records the value once. A relocate of
 * a constant GEP is left out, because LLVM's CodeGenPrepare would make a GEP of one of the two relocates. */
static void build_shown_relocate(struct value_relocation *web, uint32_t number)
{
  uint32_t point = web->refs->crossings.at[web->v->cross + number - 2];

  if (LLVMIsAInvokeInst(web->refs->points.at[point].call))
    web->shown[number].relocate = web->places[number].before ? NULL : web->made[number];
  else if (!LLVMIsAGetElementPtrInst(web->v->value) ||
           !cn_types_gep_offset(web->emitter->ctx, web->v->value, &(uint64_t){0}))
    web->shown[number].relocate = cn_emit_relocate(web->emitter, web->refs, point, web->value, NULL);
}

/* Build the definitions that are read; build all definitions if CAIRN_RELOCATION_SINK is off. */
static void build_definitions(struct value_relocation *web)
{
  bool sink = cn_refs_is_optimisation_on(web->refs, CAIRN_RELOCATION_SINK);

  for (uint32_t i = 0; i < web->v->cross_count; i++) {
    uint32_t point = web->refs->crossings.at[web->v->cross + i];
    struct cn_sink_place *place = &web->places[2 + i];
    if (place->state == CN_SINK_UNREAD && (web->v->rematerialised || (sink && !web->kept[2 + i])))
      continue;
    cn_sink_choose_place(web->refs, point, place);
    web->made[2 + i] =
        web->v->rematerialised
            ? cn_rematerialise_after_point(&web->remade, web->emitter, web->refs, web->value, point, place)
            : cn_emit_relocate(web->emitter, web->refs, point, web->value, place->before);
    if (web->shown[2 + i].wanted && !web->v->rematerialised)
      build_shown_relocate(web, 2 + i);
  }
}

static void replace_read_by_definition(struct value_relocation *web, const struct definition_read *read)
{
  LLVMValueRef value = read->number == 1 ? web->v->value : web->made[read->number];
  LLVMBasicBlockRef from;

  CN_CHECK(value); /* build_definitions() built each definition that is read */
  switch (read->kind) {
  case READ_USE:
    cn_emitter_replace_use(web->refs, &web->refs->uses.at[read->at], value);
    break;
  case READ_LIVE:
    cn_emitter_replace_live_entry(web->refs, web->refs->crossings.at[web->v->cross + read->at], web->value, value);
    break;
  case READ_INCOMING:
    from = web->refs->cfg->blocks[read->block].block;
    LLVMAddIncoming(web->made[read->at], &value, &from, 1);
    break;
  case READ_OPERAND:
    LLVMSetOperand(read->user, read->at, value);
    break;
  }
}

/* An array of `count` zeroed elements of `size` bytes: `at` if its *room elements suffice, else a new array; updates
 * *room. */
static void *resize_and_zero_array(void *at, uint32_t *room, uint32_t count, size_t size)
{
  if (count <= *room)
    return memset(at, 0, count * size);
  free(at);
  *room = count + count / 2;
  return cn_alloc(*room * size);
}

static void clear_definition_arrays(struct value_relocation *web)
{
  uint32_t nodes = (uint32_t)web->range.blocks.count, sources = web->sources + 1;

  web->made = resize_and_zero_array(web->made, &web->made_room, sources + nodes, sizeof *web->made);
  web->places = resize_and_zero_array(web->places, &web->place_room, sources, sizeof *web->places);
  web->kept = resize_and_zero_array(web->kept, &web->kept_room, sources, sizeof *web->kept);
  web->shown = resize_and_zero_array(web->shown, &web->shown_room, sources, sizeof *web->shown);
}

/* ---- the debugger's variables ---- */

/* The number of the definition that reaches a record of the program, or 0 if a parse point before it omits the value.
 */
static uint32_t definition_at_record(const struct value_relocation *web, const struct cn_variable_need *need)
{
  const struct cn_refs *refs = web->refs;
  bool local = need->block == web->v->block;
  uint32_t first = local ? cn_first_point_after(refs, need->block, web->v->pos) : refs->first_point[need->block];
  uint32_t next = cn_first_point_after(refs, need->block, need->pos - 1), before = crossings_before(web, need->pos);

  if (local && need->pos < web->v->pos)
    return 0;
  if (next > first)
    return before && crossing_point_at(web, before - 1) == &refs->points.at[next - 1] ? 2 + before - 1 : 0;
  if (local)
    return 1;
  return web->range.in[need->block] == web->range.stamp
             ? resolve_definition(web, entering_definition_of(web, need->block))
             : 0;
}

/* The number of the definition that a variable has at the need's place, or 0. At the start of a block, only a phi of
 * the block needs a record. */
static uint32_t definition_of_need(const struct value_relocation *web, const struct cn_variable_need *need)
{
  uint32_t number, crossing;

  switch (need->kind) {
  case CN_NEED_AFTER_POINT:
    crossing = crossings_before(web, need->pos);
    CN_CHECK(crossing < web->v->cross_count && crossing_point_at(web, crossing)->pos == need->pos);
    return 2 + crossing;
  case CN_NEED_AT_BLOCK:
    if (web->range.in[need->block] != web->range.stamp)
      return 0;
    number = entering_definition_of(web, need->block);
    return resolve_definition(web, number) == number ? number : 0;
  case CN_NEED_AT_RECORD:
    return definition_at_record(web, need);
  }
  CN_UNREACHABLE();
}

static void note_variable_needs(struct value_relocation *web)
{
  cn_variables_find_needs(web->variables, web->value, &web->need, &web->need_end);
  for (uint32_t n = web->need; n < web->need_end; n++) {
    struct cn_variable_need *need = &web->variables->needs.at[n];
    need->number = definition_of_need(web, need);
    if (need->number > 1 && need->number < first_pad_definition(web) && !need->original_only)
      web->shown[need->number].wanted = true;
  }
}

/* The definition that debug records name, or null. */
static LLVMValueRef shown_definition_of(const struct value_relocation *web, uint32_t number)
{
  if (number < 2)
    return number ? web->v->value : NULL;
  return number < first_pad_definition(web) ? web->shown[number].relocate : web->made[number];
}

/* The relocate that an earlier instruction of the record's block reads, or null. The relocate's parse point is in
 * another block. */
static LLVMValueRef relocate_before_record(const struct value_relocation *web, const struct cn_variable_need *need)
{
  const struct cn_sink_place *place = &web->places[need->number];

  return place->before && !place->copy && place->block == need->block && place->pos <= need->pos
             ? web->made[need->number]
             : NULL;
}

/* The definition for the record at a record of the program, or null. LLVM would move a record that names a relocate of
 * the same block up to the statepoint, so the value is lost if the variable has another value there. */
static LLVMValueRef definition_shown_at_record(const struct value_relocation *web, const struct cn_variable_need *need)
{
  bool relocated = need->number > 1 && need->number < first_pad_definition(web);

  if (need->number != 1 && need->original_only)
    return NULL;
  if (relocated && crossing_point_at(web, need->number - 2)->block != need->block)
    return relocate_before_record(web, need);
  if (relocated && need->replaces)
    return NULL;
  return shown_definition_of(web, need->number);
}

/* Name the parameter again before the first parse point of the function: LLVM then prefers the register that the callee
 * saves to the argument's register, which the callee overwrites. LLVM takes a record before the function's first
 * instruction for one of the argument's register, so an unused instruction precedes the record. */
static void insert_parameter_record(struct value_relocation *web, const struct cn_variable_need *need)
{
  LLVMValueRef call = web->refs->points.at[need->point].call;

  if (!need->parameter || !LLVMIsAArgument(web->v->value) || need->number != 2)
    return;
  if (!LLVMGetPreviousInstruction(call)) {
    LLVMPositionBuilderBefore(web->emitter->builder, call);
    LLVMBuildFreeze(web->emitter->builder, web->v->value, "");
  }
  cn_variables_insert_record(web->variables, web->refs, need, web->v->value, call);
}

static void insert_variable_record(struct value_relocation *web, const struct cn_variable_need *need)
{
  LLVMValueRef shown = shown_definition_of(web, need->number);
  LLVMValueRef call = need->point == CN_NO_INDEX ? NULL : web->refs->points.at[need->point].call;
  LLVMValueRef before = call;

  switch (need->kind) {
  case CN_NEED_AFTER_POINT:
    if (shown) {
      insert_parameter_record(web, need);
      before = LLVMGetNextInstruction(shown);
    }
    break;
  case CN_NEED_AT_BLOCK:
    if (!shown)
      return;
    before = cn_insertion_point_after(shown);
    break;
  case CN_NEED_AT_RECORD:
    if (need->number == 1 && (need->of == need->value || need->original_only))
      return;
    shown = definition_shown_at_record(web, need);
    before = call ? call : need->before;
    break;
  }
  cn_variables_insert_record(web->variables, web->refs, need, shown, before);
}

static void insert_variable_records(struct value_relocation *web)
{
  for (uint32_t n = web->need; n < web->need_end; n++)
    insert_variable_record(web, &web->variables->needs.at[n]);
}

static void relocate_value(struct value_relocation *web, uint32_t value)
{
  const struct cn_ref_value *v = &web->refs->values.at[value];

  CN_CHECK(v->value && v->cross_count > 0);
  web->v = v;
  web->value = value;
  web->sources = 1 + (web->pads ? 2 : 1) * v->cross_count;
  cn_live_range(&web->range, web->refs, value);
  for (uint32_t i = 0; i < v->cross_count; i++) {
    uint32_t block = crossing_point_at(web, i)->block;
    web->crossed[block] = web->range.stamp;
    web->last_cross[block] = i;
  }
  clear_definition_arrays(web);
  web->reads.count = 0;
  solve_phi_places(web);
  note_reads_at_parse_points(web);
  note_reads_of_uses(web);
  note_phi_inputs(web);
  keep_listed_definitions(web);
  note_variable_needs(web);
  build_definitions(web);
  build_relocates_in_pads(web);
  CN_CHECK(web->todo.count == 0);
  for (size_t r = 0; r < web->reads.count; r++)
    replace_read_by_definition(web, &web->reads.at[r]);
  insert_variable_records(web);
  free(web->top);
}

/* Per block: 1 + the parse point that unwinds to it if the block is a landing pad of type token, else 0. Null without
 * such pads. */
static uint32_t *find_token_pads(const struct cn_refs *refs)
{
  uint32_t *pads = NULL;

  for (uint32_t p = 0; p < refs->points.count; p++) {
    LLVMValueRef statepoint = refs->points.at[p].call;
    if (!LLVMIsAInvokeInst(statepoint) || !cn_unwind_is_token_pad(cn_unwind_pad_of(LLVMGetUnwindDest(statepoint))))
      continue;
    if (!pads)
      pads = cn_alloc(refs->cfg->count * sizeof *pads);
    pads[cn_cfg_index_of(refs->cfg, LLVMGetUnwindDest(statepoint))] = 1 + p;
  }
  return pads;
}

void cn_relocate(struct cn_emitter *emitter, struct cn_refs *refs, struct cn_variables *variables)
{
  struct value_relocation web = {.emitter = emitter, .refs = refs, .variables = variables};

  if (cn_pairs_are_required(emitter->ctx))
    web.pads = find_token_pads(refs);

  cn_live_range_init(&web.range, refs->cfg);
  web.crossed = cn_alloc(2 * (size_t)refs->cfg->count * sizeof *web.crossed);
  web.last_cross = web.crossed + refs->cfg->count;
  cn_rematerialised_init(&web.remade, refs);
  for (size_t i = 0; i < web.remade.order.count; i++)
    relocate_value(&web, web.remade.order.at[i]);
  for (uint32_t v = 0; v < refs->values.count; v++)
    if (refs->values.at[v].cross_count && !refs->values.at[v].rematerialised)
      relocate_value(&web, v);
  cn_rematerialised_free(&web.remade);
  cn_free(&web.todo);
  cn_free(&web.reads);
  free(web.made);
  free(web.places);
  free(web.kept);
  free(web.shown);
  free(web.crossed);
  free(web.pads);
  cn_live_range_free(&web.range);
}
