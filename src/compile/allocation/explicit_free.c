/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `free-dead-arrays`: frees an array explicitly where it dies in the function that made it.
 *
 * Needs: allocation calls that are not expanded yet, and an optimiser that has run. Provides: calls of
 * cairn_give_back() at the places where arrays die. Only values of the function point to these arrays. Breaks: struct
 * cn_cfg.
 *
 *   a = cairn_alloc_array(layout, n)      a = cairn_alloc_array(layout, n)
 *   ... uses of a                    ->   ... uses of a
 *                                         cairn_give_back(a)
 *
 * The runtime hands the memory to the next allocation, while the memory is in the cache. S. Guyer, K. McKinley and D.
 * Frampton, "Free-Me: a static analysis for automatic individual object reclamation" (2006).
 *
 * For each block and each allocation call, the pass computes two facts about the array that the call made last: whether
 * a use follows before the call makes another array, and whether code may have kept the array's address. A use keeps
 * the address unless the pass can prove the opposite. The array dies after its last use in a block, or on an edge that
 * no use follows. If the edge's target has other predecessors, the edge gets a new block for the free.
 *
 * The pass ignores single objects and short arrays of constant length: their allocation takes less time than a free.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"
#include "compile/allocation/layout_constants.h"

enum { MIN_FREED_ELEMENTS = 64 /* the shortest array of constant length that is freed */ };

struct block_effect {
  LLVMValueRef last; /* use, or null */
  bool keeps;        /* a use in the block may keep the address */
  bool live_in, live_out, kept;
};

struct free_inserter {
  struct cn_ctx *ctx;
  struct cn_cfg cfg;
  struct block_effect *blocks;
  LLVMValueRef made;              /* the call that made the array */
  uint32_t home;                  /* its block */
  CN_VECTOR(LLVMValueRef) values; /* the array, and addresses in it */
  LLVMBuilderRef builder;
};

/* ---- uses ---- */

/* True if the intrinsic stores no address of the array of `value` in memory or in its result. */
static bool intrinsic_forgets_value(LLVMValueRef call, LLVMValueRef value)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  switch (row ? row->effect : CN_EFFECT_CALL) {
  case CN_EFFECT_NONE:
  case CN_EFFECT_LOAD:
  case CN_EFFECT_COPY:
  case CN_EFFECT_BYTES:
    return true;
  case CN_EFFECT_STORE:
  case CN_EFFECT_PATTERN:
    return LLVMGetArgOperand(call, (unsigned)row->value) != value;
  default:
    return false;
  }
}

static bool has_captures_none(LLVMValueRef of, LLVMAttributeIndex index, bool site)
{
  unsigned kind = cn_attribute_kind("captures");
  LLVMAttributeRef found =
      site ? LLVMGetCallSiteEnumAttribute(of, index, kind) : LLVMGetEnumAttributeAtIndex(of, index, kind);

  return found && LLVMGetEnumAttributeValue(found) == 0;
}

/* True if the call keeps no copy of an argument that is `value`. */
static bool forgets_argument(LLVMValueRef call, LLVMValueRef value)
{
  LLVMValueRef callee = cn_direct_callee(call);
  unsigned arguments = LLVMGetNumArgOperands(call);

  if (!LLVMIsACallInst(call) || cn_calls_is_musttail(call) || !callee || LLVMGetNumOperandBundles(call) != 0)
    return false;
  if (LLVMGetIntrinsicID(callee))
    return intrinsic_forgets_value(call, value);
  for (unsigned i = 0; i < arguments; i++)
    if (LLVMGetOperand(call, i) == value && !has_captures_none(call, i + 1, true) &&
        (i >= LLVMCountParams(callee) || !has_captures_none(callee, i + 1, false)))
      return false;
  return true;
}

static bool uses_and_forgets(LLVMValueRef user, LLVMValueRef value)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
  case LLVMICmp:
    return true;
  case LLVMStore:
    return LLVMGetOperand(user, 0) != value;
  case LLVMAtomicRMW:
    return LLVMGetOperand(user, 1) != value;
  case LLVMCall:
    return forgets_argument(user, value);
  default:
    return false;
  }
}

static bool is_address_in_array(LLVMValueRef user, LLVMValueRef value)
{
  return LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == value && cn_is_ref(LLVMTypeOf(user));
}

static void note_array_use(struct free_inserter *g, LLVMValueRef user, bool keeps)
{
  uint32_t block = cn_cfg_index_of(&g->cfg, LLVMGetInstructionParent(user));

  if (block == CN_NO_BLOCK)
    return;
  struct block_effect *does = &g->blocks[block];
  does->keeps |= keeps;
  if (!does->last)
    does->last = user;
}

/* Find all uses. A walk over each block finds the last use in the block, because LLVM's use lists are unordered. */
static void find_array_uses(struct free_inserter *g)
{
  struct cn_ptrmap users = {0};

  g->values.count = 0;
  cn_push(&g->values, g->made);
  for (size_t i = 0; i < g->values.count; i++)
    CN_EACH_USE(use, g->values.at[i]) {
      LLVMValueRef user = LLVMGetUser(use);
      bool address = is_address_in_array(user, g->values.at[i]), added;
      cn_ptrmap_add(&users, user, &added);
      if (address && added)
        cn_push(&g->values, user);
      note_array_use(g, user, !address && !uses_and_forgets(user, g->values.at[i]));
    }
  for (uint32_t b = 0; b < g->cfg.count; b++)
    if (g->blocks[b].last)
      CN_EACH_INSTRUCTION(i, g->cfg.blocks[b].block)
        if (cn_ptrmap_find(&users, i))
          g->blocks[b].last = i;
  cn_ptrmap_free(&users);
}

/* ---- liveness ---- */

/* Before the call, the array is dead in the home block, because the call makes another array. */
static bool update_block_liveness(struct free_inserter *g, uint32_t b)
{
  struct block_effect *does = &g->blocks[b], was = *does;
  const struct cn_cfg_block *block = &g->cfg.blocks[b];

  for (uint32_t i = 0; i < block->succ_count; i++)
    does->live_out |= g->blocks[block->succs[i]].live_in;
  does->live_in = b != g->home && (does->last || does->live_out);
  for (uint32_t i = 0; b != g->home && i < block->pred_count; i++)
    does->kept |= g->blocks[block->preds[i]].kept;
  does->kept |= does->keeps;
  return does->live_in != was.live_in || does->live_out != was.live_out || does->kept != was.kept;
}

static void solve_array_liveness(struct free_inserter *g)
{
  bool changed;

  do {
    changed = false;
    for (uint32_t b = g->cfg.count; b-- > 0;)
      changed |= update_block_liveness(g, b);
  } while (changed);
}

/* ---- frees ---- */

static void emit_explicit_free(struct free_inserter *g, LLVMValueRef before)
{
  LLVMTypeRef ref = LLVMTypeOf(g->made);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->ctx->llvm), &ref, 1, false);
  LLVMValueRef callee = cn_emit_declare_function(g->ctx, CN_GIVE_BACK, type, LLVMCCallConv);

  if (!callee)
    return;
  cn_emit_mark_leaf(g->ctx, callee);
  LLVMPositionBuilderBefore(g->builder, before);
  LLVMBuildCall2(g->builder, type, callee, &g->made, 1, "");
}

/* Free the array, which dies on the edge to successor `which`; several edges may have that target. The free is in a
 * block that only these edges enter. Before the branch the array is still alive on the other path, so that a poll there
 * lists the array. False if the free exists already, or if the edge cannot be split. */
static bool free_on_edge(struct free_inserter *g, uint32_t from, uint32_t which)
{
  const struct cn_cfg_block *block = &g->cfg.blocks[from];
  const struct cn_cfg_block *to = &g->cfg.blocks[block->succs[which]];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
  LLVMBasicBlockRef between = LLVMGetSuccessor(end, which);

  for (uint32_t i = 0; i < which; i++)
    if (block->succs[i] == block->succs[which])
      return false; /* freed already */
  if (to->pred_count != 1 && between == to->block) {
    if (!cn_is_branch(end) && !LLVMIsASwitchInst(end))
      return false;
    between = cn_split_edge(g->ctx, end, which);
  } else if (cn_is_exception_pad(between)) {
    return false;
  }
  emit_explicit_free(g, cn_first_after_phis(between));
  return true;
}

/* Free the array if it dies in block `b`, after the last use, or on edges that leave `b`. True if a free was inserted.
 */
static bool free_in_block(struct free_inserter *g, uint32_t b)
{
  const struct block_effect *does = &g->blocks[b];
  LLVMValueRef last = does->last ? does->last : b == g->home ? g->made : NULL;
  bool gives = false;

  if (does->kept || !cn_cfg_dominates(&g->cfg, g->home, b))
    return false;
  if (!does->live_out) {
    if (!last || LLVMIsATerminatorInst(last))
      return false;
    emit_explicit_free(g, LLVMGetNextInstruction(last));
    return true;
  }
  for (uint32_t i = 0; i < g->cfg.blocks[b].succ_count; i++)
    if (!g->blocks[g->cfg.blocks[b].succs[i]].live_in)
      gives |= free_on_edge(g, b, i);
  return gives;
}

static void free_array_where_dead(struct free_inserter *g, LLVMValueRef made)
{
  bool gives = false;

  g->made = made;
  g->home = cn_cfg_index_of(&g->cfg, LLVMGetInstructionParent(made));
  if (g->home == CN_NO_BLOCK)
    return;
  for (uint32_t b = 0; b < g->cfg.count; b++)
    g->blocks[b] = (struct block_effect){0};
  find_array_uses(g);
  solve_array_liveness(g);
  LLVMSetCurrentDebugLocation2(g->builder, LLVMInstructionGetDebugLoc(made));
  for (uint32_t b = 0; b < g->cfg.count; b++)
    gives |= free_in_block(g, b);
  if (gives)
    cn_remark(g->ctx, made, "freed-array", "the array is freed where it dies");
}

/* True if a free of the array may save time. The runtime ignores frees of arrays of references. */
static bool is_freeable_allocation(LLVMValueRef instruction)
{
  const struct cn_allocator *allocator = cn_layouts_called_allocator(instruction);

  if (!allocator || !LLVMIsACallInst(instruction) || allocator->form == CN_LAYOUT_FORM_OBJECT || allocator->resizes)
    return false;
  LLVMValueRef layout = LLVMIsAGlobalVariable(LLVMGetOperand(instruction, 0));
  if (!layout || !LLVMTypeIsSized(LLVMGlobalGetValueType(layout)) || cn_holds_ref(LLVMGlobalGetValueType(layout)))
    return false;
  LLVMValueRef count = LLVMIsAConstantInt(LLVMGetOperand(instruction, 1));
  return !count || LLVMConstIntGetZExtValue(count) >= MIN_FREED_ELEMENTS;
}

static void free_arrays_in_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct free_inserter g = {.ctx = ctx};
  CN_VECTOR(LLVMValueRef) made = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_freeable_allocation(i))
        cn_push(&made, i);
  if (made.count != 0) {
    cn_cfg_build(&g.cfg, function);
    g.blocks = cn_alloc(g.cfg.count * sizeof *g.blocks);
    g.builder = LLVMCreateBuilderInContext(ctx->llvm);
    for (size_t i = 0; i < made.count; i++)
      free_array_where_dead(&g, made.at[i]);
    LLVMDisposeBuilder(g.builder);
    free(g.blocks);
    cn_cfg_free(&g.cfg);
  }
  cn_free(&g.values);
  cn_free(&made);
}

bool cn_free_dead_arrays(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      free_arrays_in_function(ctx, f);
  return ctx->errors == 0;
}
