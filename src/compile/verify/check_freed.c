/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks rule use-after-free: after cairn_give_back(), the memory of its array may belong to another object. Needs:
 * struct cn_cfg, statepoints. Provides: diagnostics of this rule. Breaks: nothing.
 *
 * For each such call, gather the references that may point to its array: the sources of its operand, relocates
 * included, and all values computed from these sources. A forward dataflow finds the dead references: the call makes
 * all of them dead, and a new definition revives one. Copies of a dead reference are allowed; a use, or a statepoint
 * that lists a dead reference, is an error. A second dataflow finds the stored references. A stored reference that may
 * reach the call is an error, because a later load could use it. Last, each source must be the result of a call,
 * because any other origin may have further references to the array.
 */
#include <stdlib.h>
#include <string.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/verify.h"

struct freed_array {
  struct cn_verifier *v;
  LLVMValueRef call;
  CN_VECTOR(LLVMValueRef) values; /* the references that may point to the array */
  size_t sources;                 /* the first `sources` values are sources of the call's operand */
  struct cn_ptrmap index;         /* value -> its place in `values` */
  size_t words;                   /* the size of a set of values, in words */
  uint64_t *mentions;             /* the blocks that define or use a value; only these blocks change a set */
  uint64_t *out;                  /* for each block, the set at its end */
  bool stores;                    /* track stored references instead of dead ones */
  bool told;
};

static bool is_explicit_free(LLVMValueRef i)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;
  size_t length;

  return callee && strcmp(LLVMGetValueName2(callee, &length), CN_GIVE_BACK) == 0;
}

/* ---- which values ---- */

static void add_alias_value(struct freed_array *g, LLVMValueRef value)
{
  bool fresh;

  if (!value || LLVMIsConstant(value) || !cn_holds_ref(LLVMTypeOf(value)))
    return;
  uint64_t *place = cn_ptrmap_add(&g->index, value, &fresh);
  if (fresh) {
    *place = g->values.count;
    cn_push(&g->values, value);
  }
}

/* True if `value` only copies or merges references. */
static bool is_object_copy(LLVMValueRef value)
{
  return cn_is_relocate(value) || (LLVMIsAInstruction(value) && cn_values_only_propagates(value) &&
                                   !cn_calls_intrinsic(value, "llvm.experimental.gc.result"));
}

static void add_source_values(struct freed_array *g, LLVMValueRef value)
{
  if (cn_is_relocate(value)) {
    add_alias_value(g, cn_verify_listed_operand_of(g->v, value, 1));
    add_alias_value(g, cn_verify_listed_operand_of(g->v, value, 2));
  } else if (is_object_copy(value)) {
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(value); o++)
      add_alias_value(g, LLVMGetOperand(value, o));
  }
}

static void add_relocates_of(struct freed_array *g, LLVMValueRef statepoint, LLVMValueRef value)
{
  CN_EACH_USE(use, statepoint) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cn_is_relocate(user) &&
        (cn_verify_listed_operand_of(g->v, user, 1) == value || cn_verify_listed_operand_of(g->v, user, 2) == value))
      add_alias_value(g, user);
  }
}

static void add_user_values(struct freed_array *g, LLVMValueRef value)
{
  CN_EACH_USE(use, value) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cn_epochs_is_statepoint(user))
      add_relocates_of(g, user, value);
    else if (is_object_copy(user))
      add_alias_value(g, user);
  }
}

static void mark_mentioning_block(struct freed_array *g, LLVMValueRef value)
{
  uint32_t block =
      LLVMIsAInstruction(value) ? cn_cfg_index_of(&g->v->cfg, LLVMGetInstructionParent(value)) : CN_NO_BLOCK;

  if (block != CN_NO_BLOCK)
    cn_bitset_add(g->mentions, block);
}

/* Gather all values that may point to the array. A value that is only merged with such a value may be another
 * object. */
static void gather_alias_values(struct freed_array *g)
{
  add_alias_value(g, LLVMGetOperand(g->call, 0));
  for (size_t i = 0; i < g->values.count; i++)
    add_source_values(g, g->values.at[i]);
  g->sources = g->values.count;
  for (size_t i = 0; i < g->values.count; i++)
    add_user_values(g, g->values.at[i]);
  g->words = CN_BITSET_WORDS(g->values.count);
  g->mentions = cn_alloc(CN_BITSET_WORDS(g->v->cfg.count) * sizeof *g->mentions);
  for (size_t i = 0; i < g->values.count; i++) {
    mark_mentioning_block(g, g->values.at[i]);
    CN_EACH_USE(use, g->values.at[i])
      mark_mentioning_block(g, LLVMGetUser(use));
  }
}

/* ---- dead and stored values ---- */

static bool set_has_value(const struct freed_array *g, const uint64_t *set, LLVMValueRef value)
{
  const uint64_t *place = value ? cn_ptrmap_find(&g->index, value) : NULL;

  return place && cn_bitset_contains(set, *place);
}

static bool set_has_operand_of(const struct freed_array *g, const uint64_t *set, LLVMValueRef i)
{
  for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
    if (set_has_value(g, set, LLVMGetOperand(i, o)))
      return true;
  return false;
}

static LLVMValueRef stored_operand_of(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore:
    return LLVMGetOperand(i, 0);
  case LLVMAtomicRMW:
    return LLVMGetOperand(i, 1);
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(i, 2);
  default:
    return NULL;
  }
}

static bool adds_all_to_set(const struct freed_array *g, LLVMValueRef i)
{
  LLVMValueRef value = g->stores ? stored_operand_of(i) : is_explicit_free(i) ? LLVMGetOperand(i, 0) : NULL;

  return value && cn_ptrmap_find(&g->index, value);
}

static void assign_bit(uint64_t *set, size_t place, bool member)
{
  set[place / 64] &= ~(UINT64_C(1) << place % 64);
  if (member)
    cn_bitset_add(set, place);
}

static bool is_copy_of_member(const struct freed_array *g, const uint64_t *set, LLVMValueRef value)
{
  if (cn_is_relocate(value))
    return set_has_value(g, set, cn_verify_listed_operand_of(g->v, value, 1)) ||
           set_has_value(g, set, cn_verify_listed_operand_of(g->v, value, 2));
  return is_object_copy(value) && set_has_operand_of(g, set, value);
}

static void transfer_instruction(const struct freed_array *g, uint64_t *set, LLVMValueRef i)
{
  const uint64_t *place = cn_ptrmap_find(&g->index, i);

  if (place && !LLVMIsAPHINode(i))
    assign_bit(set, *place, is_copy_of_member(g, set, i));
  if (adds_all_to_set(g, i))
    memset(set, 0xff, g->words * sizeof *set);
}

/* Compute the set at the start of block `b`, after its phis. */
static void meet_predecessors(const struct freed_array *g, uint32_t b, uint64_t *set)
{
  const struct cn_cfg *cfg = &g->v->cfg;
  const struct cn_cfg_block *block = &cfg->blocks[b];

  memset(set, 0, g->words * sizeof *set);
  for (uint32_t p = 0; p < block->pred_count; p++)
    for (size_t w = 0; w < g->words; w++)
      set[w] |= g->out[block->preds[p] * g->words + w];
  if (!cn_bitset_contains(g->mentions, b))
    return;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block->block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
    const uint64_t *place = cn_ptrmap_find(&g->index, i);
    bool member = false;
    for (unsigned n = 0; place && n < LLVMCountIncoming(i); n++) {
      uint32_t from = cn_cfg_index_of(cfg, LLVMGetIncomingBlock(i, n));
      member |= from != CN_NO_BLOCK && set_has_value(g, &g->out[from * g->words], LLVMGetIncomingValue(i, n));
    }
    if (place)
      assign_bit(set, *place, member);
  }
}

static void solve_block_sets(struct freed_array *g, uint64_t *set)
{
  const struct cn_cfg *cfg = &g->v->cfg;
  bool changed;

  memset(g->out, 0, cfg->count * g->words * sizeof *g->out);
  do {
    changed = false;
    for (uint32_t b = 0; b < cfg->count; b++) {
      meet_predecessors(g, b, set);
      if (cn_bitset_contains(g->mentions, b))
        CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
          transfer_instruction(g, set, i);
      changed |= memcmp(set, &g->out[b * g->words], g->words * sizeof *set) != 0;
      memcpy(&g->out[b * g->words], set, g->words * sizeof *set);
    }
  } while (changed);
}

/* ---- errors ---- */

/* Report only the first error, because one error causes others. */
static void report_explicit_free_error(struct freed_array *g, LLVMValueRef at, LLVMValueRef value, const char *wrong)
{
  const struct cn_finding finding = {.value = value};
  char name[120];

  if (g->told)
    return;
  g->told = true;
  cn_report_finding(g->v->ctx, at, "use-after-free", &finding, wrong, cn_value_name(value, name, sizeof name));
}

/* The first operand of the instruction that is an error because it is in `set`, or null. */
static LLVMValueRef offending_operand_of(const struct freed_array *g, const uint64_t *set, LLVMValueRef i)
{
  if (g->stores ? !is_explicit_free(i) : cn_values_only_propagates(i))
    return NULL;
  for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
    if (set_has_value(g, set, LLVMGetOperand(i, o)))
      return LLVMGetOperand(i, o);
  return NULL;
}

static void check_block(struct freed_array *g, uint32_t b, uint64_t *set)
{
  meet_predecessors(g, b, set);
  CN_EACH_INSTRUCTION(i, g->v->cfg.blocks[b].block) {
    LLVMValueRef value = offending_operand_of(g, set, i);
    if (!value) {
      transfer_instruction(g, set, i);
      continue;
    }
    report_explicit_free_error(g, i, value,
                               g->stores ? "%s is freed, and was stored before"
                               : cn_epochs_is_statepoint(i)
                                   ? "%s is listed or passed at a safepoint, and may have been freed before"
                                   : "%s is used, and may have been freed before");
    return;
  }
}

static void solve_and_check_sets(struct freed_array *g, bool stores)
{
  uint64_t *set = cn_alloc(g->words * sizeof *set);

  g->stores = stores;
  solve_block_sets(g, set);
  for (uint32_t b = 0; b < g->v->cfg.count; b++)
    if (cn_bitset_contains(g->mentions, b))
      check_block(g, b, set);
  free(set);
}

/* True if the value is a call's result or a copy of another value. */
static bool may_be_allocation_result(LLVMValueRef value)
{
  return is_object_copy(value) || cn_is_call(value);
}

static void check_explicit_free(struct cn_verifier *v, LLVMValueRef call, struct cn_ptrmap *done)
{
  struct freed_array g = {.v = v, .call = call};

  if (cn_ptrmap_find(done, LLVMGetOperand(call, 0)))
    return;
  gather_alias_values(&g);
  if (g.words) {
    g.out = cn_alloc(v->cfg.count * g.words * sizeof *g.out);
    solve_and_check_sets(&g, false);
    solve_and_check_sets(&g, true);
    free(g.out);
  }
  for (size_t i = 0; i < g.sources; i++) {
    cn_ptrmap_add(done, g.values.at[i], NULL);
    if (!may_be_allocation_result(g.values.at[i]))
      report_explicit_free_error(&g, call, g.values.at[i], "%s may be freed, and comes from elsewhere");
  }
  free(g.mentions);
  cn_free(&g.values);
  cn_ptrmap_free(&g.index);
}

void cn_verify_explicit_frees(struct cn_verifier *v)
{
  struct cn_ptrmap done = {0};

  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      if (is_explicit_free(i))
        check_explicit_free(v, i, &done);
  cn_ptrmap_free(&done);
}
