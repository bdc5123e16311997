/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the control flow graph of a function, and edits blocks, edges and phis. Needs: nothing. Provides: struct
 * cn_cfg; cn_split_block_before(), cn_split_edge(), cn_redirect_incoming_edges(), cn_move_instruction_before().
 * Breaks: the first three functions invalidate any struct cn_cfg of their function.
 *
 * Dominators: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
 */
#include "compile/analysis/cfg.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"

typedef CN_VECTOR(uint32_t) index_vector;

uint32_t cn_cfg_index_of(const struct cn_cfg *cfg, LLVMBasicBlockRef block)
{
  const uint64_t *index = cn_ptrmap_find(&cfg->index, block);

  return index ? (uint32_t)*index : CN_NO_BLOCK;
}

/* List the blocks in post-order, and add each to the index. The depth-first search has an explicit stack. */
static void collect_post_order(struct cn_cfg *cfg, LLVMBasicBlockRef *order)
{
  struct search_frame {
    LLVMBasicBlockRef block;
    LLVMValueRef end;
    unsigned next, count;
  };
  CN_VECTOR(struct search_frame) stack = {0};
  LLVMBasicBlockRef to = LLVMGetEntryBasicBlock(cfg->function);
  bool fresh = true;

  cn_ptrmap_add(&cfg->index, to, NULL);
  do {
    if (fresh) {
      LLVMValueRef end = LLVMGetBasicBlockTerminator(to);
      cn_push(&stack, (struct search_frame){to, end, 0, LLVMGetNumSuccessors(end)});
    }
    struct search_frame *top = &stack.at[stack.count - 1];
    if ((fresh = top->next < top->count)) {
      to = LLVMGetSuccessor(top->end, top->next++);
      cn_ptrmap_add(&cfg->index, to, &fresh);
    } else {
      order[cfg->count++] = top->block;
      stack.count--;
    }
  } while (stack.count);
  cn_free(&stack);
}

/* Fill one array with the successors and the predecessors of all blocks. Each block has slices of the array. */
static void connect_blocks(struct cn_cfg *cfg)
{
  uint32_t edges = 0;

  for (uint32_t i = 0; i < cfg->count; i++) {
    struct cn_cfg_block *b = &cfg->blocks[i];
    b->succ_count = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b->block));
    edges += b->succ_count;
  }
  cfg->edges = cn_alloc(2 * (size_t)edges * sizeof *cfg->edges);
  uint32_t *next = cfg->edges;
  for (uint32_t i = 0; i < cfg->count; i++) {
    struct cn_cfg_block *b = &cfg->blocks[i];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b->block);
    b->succs = next;
    next += b->succ_count;
    for (unsigned s = 0; s < b->succ_count; s++) {
      b->succs[s] = cn_cfg_index_of(cfg, LLVMGetSuccessor(end, s));
      cfg->blocks[b->succs[s]].pred_count++;
    }
  }
  for (uint32_t i = 0; i < cfg->count; i++) {
    cfg->blocks[i].preds = next;
    next += cfg->blocks[i].pred_count;
    cfg->blocks[i].pred_count = 0;
  }
  for (uint32_t i = 0; i < cfg->count; i++)
    for (unsigned s = 0; s < cfg->blocks[i].succ_count; s++) {
      struct cn_cfg_block *to = &cfg->blocks[cfg->blocks[i].succs[s]];
      to->preds[to->pred_count++] = i;
    }
}

/* Find the immediate dominators by all edges, or by forward edges alone (`forward`). True if a dominator changed. The
 * last predecessors come first, so that the walks up the tree stay short. */
static bool update_dominators(struct cn_cfg *cfg, bool forward)
{
  bool changed = false;

  for (uint32_t i = 1; i < cfg->count; i++) {
    struct cn_cfg_block *b = &cfg->blocks[i];
    uint32_t idom = CN_NO_BLOCK;
    for (uint32_t p = b->pred_count; p-- > 0;)
      if (!forward || !cn_cfg_is_retreating_edge(b->preds[p], i))
        idom = idom == CN_NO_BLOCK ? b->preds[p] : cn_cfg_common_dominator(cfg, idom, b->preds[p]);
    changed |= idom != b->idom;
    b->idom = idom;
  }
  return changed;
}

/* Number the blocks so that the blocks that a block dominates have consecutive places. A query of dominance then takes
 * constant time. */
static void number_dominator_tree(struct cn_cfg *cfg)
{
  uint32_t *next = cn_alloc(cfg->count * sizeof *next);

  for (uint32_t i = 0; i < cfg->count; i++)
    cfg->blocks[i].below = 0;
  for (uint32_t i = cfg->count; i-- > 0;) {
    cfg->blocks[i].below++;
    if (i)
      cfg->blocks[cfg->blocks[i].idom].below += cfg->blocks[i].below;
  }
  for (uint32_t i = 0; i < cfg->count; i++) {
    struct cn_cfg_block *b = &cfg->blocks[i];
    b->place = i ? next[b->idom] : 0;
    next[b->idom] += b->below;
    next[i] = b->place + 1;
  }
  free(next);
}

bool cn_cfg_dominates(const struct cn_cfg *cfg, uint32_t a, uint32_t b)
{
  CN_ASSERT(cfg->has_dominators && a < cfg->count && b < cfg->count);
  return cfg->blocks[b].place - cfg->blocks[a].place < cfg->blocks[a].below;
}

bool cn_cfg_is_irreducible(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
      if (cn_cfg_is_retreating_edge(b, cfg->blocks[b].succs[s]) && !cn_cfg_dominates(cfg, cfg->blocks[b].succs[s], b))
        return true;
  return false;
}

/* Back edges never change the result, so a graph without irreducible cycles takes one round over its forward edges. */
static void find_dominators(struct cn_cfg *cfg)
{
  cfg->blocks[0].idom = 0;
  update_dominators(cfg, true);
  number_dominator_tree(cfg);
  if (!cn_cfg_is_irreducible(cfg))
    return;
  while (update_dominators(cfg, false))
    ;
  number_dominator_tree(cfg);
}

/* The header of the outermost loop found so far around block `i`, or CN_NO_BLOCK. `up` maps the header of a loop to the
 * header of an enclosing loop, or to itself; the function compresses its paths. */
static uint32_t outermost_header_of(const struct cn_cfg *cfg, uint32_t i, uint32_t *up)
{
  uint32_t header = cfg->blocks[i].loop, top = header;

  if (header == CN_NO_BLOCK)
    return CN_NO_BLOCK;
  while (up[top] != top)
    top = up[top];
  while (header != top) {
    uint32_t next = up[header];
    up[header] = top;
    header = next;
  }
  return top;
}

/* Put block `i`, or the outermost loop found so far around it, into the loop of `header`. */
static void add_to_loop(struct cn_cfg *cfg, uint32_t i, uint32_t header, uint32_t *up, index_vector *work)
{
  uint32_t top = outermost_header_of(cfg, i, up);

  if (top == header)
    return;
  if (top == CN_NO_BLOCK) {
    cfg->blocks[i].loop = header;
  } else {
    up[top] = cfg->blocks[top].outer = header;
    cfg->blocks[header].nests = true;
  }
  cn_push(work, top == CN_NO_BLOCK ? i : top);
}

/* Find the natural loop of all back edges to `header`, if any exist. The caller visits inner headers first, because
 * they come last in reverse post-order. The search adds an inner loop as a whole and continues at the predecessors of
 * the loop's header. */
static void find_natural_loop(struct cn_cfg *cfg, uint32_t header, uint32_t *up)
{
  index_vector work = {0};

  for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++) {
    uint32_t latch = cfg->blocks[header].preds[p];
    if (!cn_cfg_is_retreating_edge(latch, header) || !cn_cfg_dominates(cfg, header, latch))
      continue;
    cfg->blocks[header].loop = header;
    add_to_loop(cfg, latch, header, up, &work);
  }
  while (work.count) {
    uint32_t i = work.at[--work.count];
    for (uint32_t p = 0; p < cfg->blocks[i].pred_count; p++)
      add_to_loop(cfg, cfg->blocks[i].preds[p], header, up, &work);
  }
  cn_free(&work);
}

static void find_loops(struct cn_cfg *cfg)
{
  uint32_t *up = cn_alloc(cfg->count * sizeof *up);

  for (uint32_t i = 0; i < cfg->count; i++)
    up[i] = i;
  for (uint32_t i = cfg->count; i-- > 0;)
    find_natural_loop(cfg, i, up);
  free(up);
  for (uint32_t i = 0; i < cfg->count; i++) {
    struct cn_cfg_block *b = &cfg->blocks[i];
    uint32_t around = b->loop == i ? b->outer : b->loop;
    b->depth = (around == CN_NO_BLOCK ? 0 : cfg->blocks[around].depth) + (b->loop == i);
  }
}

void cn_cfg_build_edges(struct cn_cfg *cfg, LLVMValueRef function)
{
  unsigned all = LLVMCountBasicBlocks(function);
  LLVMBasicBlockRef *order = cn_alloc(all * sizeof *order);

  CN_ASSERT(LLVMIsAFunction(function));
  *cfg = (struct cn_cfg){.function = function};
  collect_post_order(cfg, order);
  cfg->blocks = cn_alloc(cfg->count * sizeof *cfg->blocks);
  for (uint32_t i = 0; i < cfg->count; i++) {
    cfg->blocks[i] = (struct cn_cfg_block){
        .block = order[cfg->count - 1 - i], .idom = CN_NO_BLOCK, .loop = CN_NO_BLOCK, .outer = CN_NO_BLOCK};
    *cn_ptrmap_find(&cfg->index, cfg->blocks[i].block) = i;
  }
  free(order);
  connect_blocks(cfg);
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
}

void cn_cfg_add_dominators(struct cn_cfg *cfg)
{
  if (cfg->has_dominators)
    return;
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
  cfg->has_dominators = true;
  find_dominators(cfg);
  find_loops(cfg);
  CN_ASSERT_VALID(cn_cfg_wrong(cfg));
}

void cn_cfg_build(struct cn_cfg *cfg, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  cn_cfg_build_edges(cfg, function);
  cn_cfg_add_dominators(cfg);
}

void cn_cfg_free(struct cn_cfg *cfg)
{
  free(cfg->edges);
  free(cfg->blocks);
  cn_ptrmap_free(&cfg->index);
  *cfg = (struct cn_cfg){0};
}

static void move_to_builder(LLVMBuilderRef builder, LLVMValueRef instruction)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(instruction, &length));

  LLVMInstructionRemoveFromParent(instruction);
  LLVMInsertIntoBuilderWithName(builder, instruction, name);
  free(name);
}

void cn_move_instruction_before(struct cn_ctx *ctx, LLVMValueRef instruction, LLVMValueRef before)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_ASSERT(LLVMIsAInstruction(before));
  if (LLVMIsAPHINode(instruction)) /* debug records must not come between phis */
    LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, before);
  else
    LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, NULL); /* else `instruction` would get the location of `before` */
  move_to_builder(builder, instruction);
  LLVMDisposeBuilder(builder);
}

static void retarget_edges(LLVMValueRef end, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
    if (LLVMGetSuccessor(end, s) == from)
      LLVMSetSuccessor(end, s, to);
}

/* The LLVM-C API cannot change a phi's incoming block. Replacing all uses of a block also renames the block in the phis
 * of its successors, but only if the block has a terminator. So the first replacement changes all uses of `from` to
 * `to`, phis included. The second replacement restores the branches, while `to` is still empty. If `from` is its own
 * successor, the first replacement would miss the phis of `from`, because the branch is renamed already. So the phis of
 * `from` move to a temporary block meanwhile. */
static void rename_incoming_block(struct cn_ctx *ctx, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(from), phi;
  LLVMBasicBlockRef phis = LLVMInsertBasicBlockInContext(ctx->llvm, to, "");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderAtEnd(builder, phis);
  while ((phi = LLVMGetFirstInstruction(from)) && LLVMIsAPHINode(phi))
    move_to_builder(builder, phi);
  retarget_edges(end, from, phis);
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(from), LLVMBasicBlockAsValue(to));
  LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(to), LLVMBasicBlockAsValue(from));
  retarget_edges(end, phis, from);
  LLVMValueRef first = LLVMGetFirstInstruction(from);
  while ((phi = LLVMGetFirstInstruction(phis)))
    cn_move_instruction_before(ctx, phi, first);
  LLVMDeleteBasicBlock(phis);
  LLVMDisposeBuilder(builder);
}

void cn_redirect_incoming_edges(LLVMBasicBlockRef block, LLVMBasicBlockRef to, const struct cn_ptrmap *kept)
{
  CN_VECTOR(LLVMValueRef) ends = {0};

  CN_EACH_USE(use, LLVMBasicBlockAsValue(block)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsATerminatorInst(user) && !cn_ptrmap_find(kept, LLVMGetInstructionParent(user)))
      cn_push(&ends, user);
  }
  for (size_t i = 0; i < ends.count; i++)
    retarget_edges(ends.at[i], block, to);
  cn_free(&ends);
}

/* Replace the phi by a phi that has a single entry for `to` in place of all entries for `from`. */
static void rebuild_phi_for_split_edge(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef from,
                                       LLVMBasicBlockRef to)
{
  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, phi);
  LLVMValueRef renamed = cn_build_phi_like(builder, phi, "");
  bool entered = false;

  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, n);
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, n);
    if (block != from)
      LLVMAddIncoming(renamed, &value, &block, 1);
    else if (!entered)
      LLVMAddIncoming(renamed, &value, &to, 1);
    entered |= block == from;
  }
  cn_emit_replace_instruction(phi, renamed);
}

LLVMBasicBlockRef cn_split_edge(struct cn_ctx *ctx, LLVMValueRef end, unsigned which)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(end), to = LLVMGetSuccessor(end, which);
  LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(ctx->llvm, to, "");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef next;

  CN_CHECK(cn_is_branch(end) || LLVMIsASwitchInst(end));
  for (LLVMValueRef phi = LLVMGetFirstInstruction(to); LLVMIsAPHINode(phi); phi = next) {
    next = LLVMGetNextInstruction(phi);
    rebuild_phi_for_split_edge(builder, phi, from, between);
  }
  retarget_edges(end, to, between);
  LLVMPositionBuilderAtEnd(builder, between);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
  LLVMBuildBr(builder, to);
  LLVMDisposeBuilder(builder);
  return between;
}

LLVMValueRef cn_phi_only_input(LLVMValueRef phi)
{
  LLVMValueRef only = NULL;
  unsigned count = LLVMCountIncoming(phi);

  CN_ASSERT(LLVMIsAPHINode(phi));
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef input = LLVMGetIncomingValue(phi, i);
    if (input == phi || input == only)
      continue;
    if (only)
      return NULL;
    only = input;
  }
  return only;
}

/* The first instruction from `at` on other than an alloca of fixed size. Allocas of fixed size stay in the entry block,
 * because elsewhere they would be dynamic. */
static LLVMValueRef move_allocas_before_split(struct cn_ctx *ctx, LLVMValueRef at)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(at);

  if (block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)))
    return at;
  for (LLVMValueRef i = at, next; i; i = next) {
    next = LLVMGetNextInstruction(i);
    if (!LLVMIsAAllocaInst(i) || !LLVMIsConstant(LLVMGetOperand(i, 0)))
      continue;
    if (i == at)
      at = next;
    else
      cn_move_instruction_before(ctx, i, at);
  }
  return at;
}

LLVMBasicBlockRef cn_split_block_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name)
{
  LLVMBasicBlockRef head = LLVMGetInstructionParent(at);
  LLVMBasicBlockRef next = LLVMGetNextBasicBlock(head);
  LLVMValueRef function = LLVMGetBasicBlockParent(head);
  LLVMBasicBlockRef tail = next ? LLVMInsertBasicBlockInContext(ctx->llvm, next, name)
                                : LLVMAppendBasicBlockInContext(ctx->llvm, function, name);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  struct cn_moving_records records;

  CN_CHECK(!LLVMIsAPHINode(at));
  at = move_allocas_before_split(ctx, at);
  cn_moving_records_gather(&records, ctx, at);
  rename_incoming_block(ctx, head, tail);
  LLVMPositionBuilderAtEnd(builder, tail);
  for (LLVMValueRef i = at, after; i; i = after) {
    after = LLVMGetNextInstruction(i);
    move_to_builder(builder, i);
  }
  LLVMPositionBuilderAtEnd(builder, head);
  cn_moving_records_reinsert(&records, LLVMBuildBr(builder, tail));
  LLVMDisposeBuilder(builder);
  return tail;
}
