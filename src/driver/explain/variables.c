/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the variables of the source that have the references of a statepoint's bundle gc-live. A flow analysis follows
 * the debug records: at each statepoint, a variable has the value of the last record that reaches it on all paths. Two
 * relocates of one reference at one statepoint are one value. Runs after the lines of a function are taken, and leaves
 * the module unchanged.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "driver/cc/command.h"
#include "driver/explain/explain.h"

enum { MAX_STATES = 1 << 24 }; /* variables times blocks; the variables of larger functions have no names on the page */

struct named_variable {
  LLVMMetadataRef node, site;
  struct cn_debug_part part;
  size_t next; /* index + 1 of another part or inlined copy, or 0 */
};

/* A record: the variable has the value, or an unknown one (null), from `before` on. */
struct variable_change {
  size_t variable;
  LLVMValueRef value, before;
};

struct naming {
  struct cn_ctx ctx;
  struct cn_cfg cfg;
  struct cn_ptrmap index; /* variable of the debug information -> index + 1 in `all` */
  CN_VECTOR(struct named_variable) all;
  CN_VECTOR(struct variable_change) changes; /* in the order of the graph's blocks */
  size_t *first_change;                      /* per block, and one past the last block */
  /* Per block: the value of each variable at its start; null if the value is unknown. */
  LLVMValueRef *entering;
  bool *reached; /* per block */
};

static size_t find_or_add_variable(struct naming *n, LLVMDbgRecordRef record, const struct cn_debug_part *part)
{
  LLVMMetadataRef node = LLVMDbgVariableRecordGetVariable(record), site = cn_debug_record_site(record);
  uint64_t *first = cn_ptrmap_add(&n->index, node, NULL);

  for (size_t i = *first; i; i = n->all.at[i - 1].next)
    if (n->all.at[i - 1].site == site && cn_debug_is_same_part(&n->all.at[i - 1].part, part))
      return i - 1;
  struct named_variable fresh = {.node = node, .site = site, .part = *part, .next = *first};
  cn_push(&n->all, fresh);
  *first = n->all.count;
  return n->all.count - 1;
}

/* ---- names ---- */

static const char *string_of(struct naming *n, LLVMMetadataRef node, unsigned operand)
{
  LLVMValueRef value = cn_debug_operand_value(&n->ctx, node, operand);
  unsigned length = 0;
  const char *text = value ? LLVMGetMDString(value, &length) : NULL;

  return text ? cn_text_keep((struct cn_text){text, length}) : "";
}

/* The name of the function that contains the variable. */
static const char *function_name_of(struct naming *n, LLVMMetadataRef variable)
{
  enum { SCOPE_OF_BLOCK = 1, NAME_OF_SUBPROGRAM = 2 };
  LLVMMetadataRef scope = LLVMDIVariableGetScope(variable);

  while (scope && (LLVMGetMetadataKind(scope) == LLVMDILexicalBlockMetadataKind ||
                   LLVMGetMetadataKind(scope) == LLVMDILexicalBlockFileMetadataKind))
    scope = cn_debug_operand(&n->ctx, scope, SCOPE_OF_BLOCK);
  return scope && LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind ? string_of(n, scope, NAME_OF_SUBPROGRAM)
                                                                             : "";
}

/* "cell", "p (part)" for a member of a structure, "c of sum" for a variable of an inlined function. */
static const char *format_variable(struct naming *n, const struct named_variable *variable)
{
  const char *name = string_of(n, variable->node, CN_DEBUG_NAME_OPERAND);
  const char *of = variable->site ? function_name_of(n, variable->node) : "";

  return cn_command_format_string("%s%s%s%s", name, variable->part.bits ? " (part)" : "", of[0] ? " of " : "", of);
}

/* ---- flow ---- */

static void note_records(struct naming *n, LLVMValueRef instruction)
{
  for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(instruction); r; r = LLVMGetNextDbgRecord(r)) {
    if (!cn_debug_record_sets_value(r))
      continue;
    struct cn_debug_part part = cn_debug_record_part(&n->ctx, r);
    struct variable_change change = {.variable = find_or_add_variable(n, r, &part), .before = instruction};
    if (part.plain && !part.list)
      change.value = LLVMDbgVariableRecordGetValue(r, 0);
    cn_push(&n->changes, change);
  }
}

static void note_changes(struct naming *n)
{
  n->first_change = cn_alloc((n->cfg.count + 1) * sizeof *n->first_change);
  for (uint32_t b = 0; b < n->cfg.count; b++) {
    n->first_change[b] = n->changes.count;
    CN_EACH_INSTRUCTION(i, n->cfg.blocks[b].block)
      note_records(n, i);
  }
  n->first_change[n->cfg.count] = n->changes.count;
}

static void apply_change(const struct naming *n, const struct variable_change *change, LLVMValueRef *values)
{
  const struct named_variable *variable = &n->all.at[change->variable];

  for (size_t i = *cn_ptrmap_find(&n->index, variable->node); i; i = n->all.at[i - 1].next)
    if (n->all.at[i - 1].site == variable->site && cn_debug_parts_overlap(&n->all.at[i - 1].part, &variable->part))
      values[i - 1] = NULL;
  values[change->variable] = change->value;
}

/* The value by which two copies of a reference are compared: for a relocate, another relocate of the same reference. */
static bool is_same_value(LLVMValueRef a, LLVMValueRef b)
{
  static const char relocate[] = "llvm.experimental.gc.relocate";
  enum { STATEPOINT_OPERAND = 0, DERIVED_OPERAND = 2 };

  if (a == b)
    return true;
  return cn_is_call(a) && cn_is_call(b) && cn_calls_intrinsic(a, relocate) && cn_calls_intrinsic(b, relocate) &&
         LLVMGetOperand(a, STATEPOINT_OPERAND) == LLVMGetOperand(b, STATEPOINT_OPERAND) &&
         LLVMGetOperand(a, DERIVED_OPERAND) == LLVMGetOperand(b, DERIVED_OPERAND);
}

/* Join `values` into the state at the start of a block. True if the state changed. */
static bool join_into(struct naming *n, uint32_t block, const LLVMValueRef *values)
{
  LLVMValueRef *state = n->entering + block * n->all.count;
  bool changed = !n->reached[block];

  if (changed)
    memcpy(state, values, n->all.count * sizeof *state);
  n->reached[block] = true;
  for (size_t v = 0; v < n->all.count; v++) {
    if (!state[v] || (values[v] && is_same_value(state[v], values[v])))
      continue;
    state[v] = NULL;
    changed = true;
  }
  return changed;
}

static void solve(struct naming *n)
{
  LLVMValueRef *values = cn_alloc((n->all.count + 1) * sizeof *values);
  bool changed = true;

  n->reached[0] = true;
  while (changed) {
    changed = false;
    for (uint32_t b = 0; b < n->cfg.count; b++) {
      const struct cn_cfg_block *block = &n->cfg.blocks[b];
      if (!n->reached[b])
        continue;
      memcpy(values, n->entering + b * n->all.count, n->all.count * sizeof *values);
      for (size_t c = n->first_change[b]; c < n->first_change[b + 1]; c++)
        apply_change(n, &n->changes.at[c], values);
      for (uint32_t s = 0; s < block->succ_count; s++)
        changed |= join_into(n, block->succs[s], values);
    }
  }
  free(values);
}

/* ---- statepoints ---- */

/* The names of the variables with the value, or null. */
static const char *names_of(struct naming *n, const LLVMValueRef *values, LLVMValueRef value)
{
  const char *names = NULL;

  for (size_t v = 0; v < n->all.count; v++)
    if (values[v] && is_same_value(values[v], value)) {
      const char *name = format_variable(n, &n->all.at[v]);
      names = names ? cn_command_format_string("%s, %s", names, name) : name;
    }
  return names;
}

static void name_operands(struct naming *n, const LLVMValueRef *values, LLVMValueRef call,
                          struct cn_explain_statepoint *statepoint)
{
  uint32_t i, end;

  for (cn_calls_find_bundle(call, "gc-live", &i, &end); i < end; i++)
    cn_push(&statepoint->variables, names_of(n, values, LLVMGetOperand(call, i)));
}

/* Name the operands of the function's statepoints, which are in the order of its instructions. */
static void name_statepoints(struct naming *n, LLVMValueRef function, struct cn_explain_statepoint *statepoints)
{
  LLVMValueRef *values = cn_alloc((n->all.count + 1) * sizeof *values);

  CN_EACH_BLOCK(b, function) {
    uint32_t block = cn_cfg_index_of(&n->cfg, b);
    size_t c = block == CN_NO_BLOCK ? n->changes.count : n->first_change[block];
    memset(values, 0, n->all.count * sizeof *values);
    if (block != CN_NO_BLOCK)
      memcpy(values, n->entering + block * n->all.count, n->all.count * sizeof *values);
    CN_EACH_INSTRUCTION(i, b) {
      for (; c < n->changes.count && n->changes.at[c].before == i; c++)
        apply_change(n, &n->changes.at[c], values);
      if (cn_classify_call(i).kind == CN_CALL_STATEPOINT)
        name_operands(n, values, i, statepoints++);
    }
  }
  free(values);
}

void cn_explain_name_variables(struct cn_explain *explain, LLVMValueRef function, size_t first)
{
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  struct naming n = {.ctx = {.module = module, .llvm = LLVMGetModuleContext(module)}};

  if (first == explain->statepoints.count || !LLVMGetSubprogram(function))
    return;
  cn_cfg_build_edges(&n.cfg, function);
  note_changes(&n);
  if (n.all.count && n.all.count <= MAX_STATES / n.cfg.count) {
    n.entering = cn_alloc(n.cfg.count * n.all.count * sizeof *n.entering);
    n.reached = cn_alloc(n.cfg.count * sizeof *n.reached);
    solve(&n);
    name_statepoints(&n, function, explain->statepoints.at + first);
    free(n.entering);
    free(n.reached);
  }
  cn_free(&n.all);
  cn_free(&n.changes);
  free(n.first_change);
  cn_ptrmap_free(&n.index);
  cn_cfg_free(&n.cfg);
}
