/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `promote-allocation-pointer`: keeps the allocation pointer in a register from one in-line allocation to the
 * next.
 *
 * Needs: allocations expanded; all safepoints placed and rewritten. Provides: fewer loads of the field mutator.alloc;
 * later passes also work without this pass. Breaks: nothing.
 *
 *   loop:  free = load mutator.alloc        ->   loop:  free = phi [load, entry], [end, fast],
 *          ...                                                     [load, slow]
 *   fast:  store end, mutator.alloc
 *
 * A load that waits for the store of the previous allocation takes most of an allocation's time. The stores stay,
 * because signal handlers and the runtime read the mutator's field. Only these stores and calls change the field; code
 * after a call loads the field again. Signal handlers leave the field unchanged, because they and their callees
 * allocate from another part of the buffer. A thread that is stopped or collects is in a call. So the register keeps
 * its value only over intrinsics that are leaves, except points, and over empty assembly.
 *
 * The pass replaces a load only if all calls on the paths to the load are slow paths of the runtime, which rarely run,
 * so that it adds loads only after rare calls.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/effects/intrinsics.h"

enum { MAX_PROMOTION_BLOCKS = 64 }; /* blocks between a value and the load that it replaces */

struct block_effect {
  LLVMValueRef use;   /* a load of the field's value at the entry, or null */
  LLVMValueRef value; /* the field's value at the block's end, or null */
  LLVMValueRef call;  /* the last call after `value` that may change the field, or null */
  LLVMValueRef entry; /* the phi that was made for the value at the entry, or null */
  bool asked;         /* for the current load */
};

struct load_replacement {
  LLVMValueRef load, value;
};

struct pointer_promotion {
  struct cn_ctx *ctx;
  struct cn_cfg cfg;
  struct block_effect *blocks;
  struct cn_ptrmap replaced; /* load -> its index in `loads` plus one */
  CN_VECTOR(struct load_replacement) loads;
  CN_VECTOR(uint32_t) asked;
  LLVMBuilderRef builder;
};

/* ---- blocks ---- */

static bool is_allocation_pointer_field(LLVMValueRef address)
{
  return cn_is_mutator_field_address(address, CAIRN_ABI_MUTATOR_ALLOC);
}

/* True if the instruction may change the field. The empty assembly that turns an address into a reference never does.
 * The code of a point may. */
static bool may_change_field(LLVMValueRef instruction)
{
  size_t length;

  if (!cn_is_call(instruction))
    return false;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  if (LLVMIsAInlineAsm(callee)) {
    LLVMGetInlineAsmAsmString(callee, &length);
    return length != 0;
  }
  return cn_intrinsic_has_effect(instruction, CN_EFFECT_POINT) || !cn_calls_some_intrinsic(instruction) ||
         cn_classify_call(instruction).kind != CN_CALL_LEAF;
}

static bool is_word_type(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
}

static void find_block_effect(struct block_effect *p, LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block) {
    if (LLVMIsALoadInst(i) && is_word_type(LLVMTypeOf(i)) && is_allocation_pointer_field(LLVMGetOperand(i, 0))) {
      if (!p->value && !p->call)
        p->use = i;
      p->value = i;
    } else if (LLVMIsAStoreInst(i) && is_allocation_pointer_field(LLVMGetOperand(i, 1))) {
      CN_CHECK(is_word_type(LLVMTypeOf(LLVMGetOperand(i, 0)))); /* only `allocate` makes them */
      p->value = LLVMGetOperand(i, 0);
    } else if (may_change_field(i)) {
      p->value = NULL;
      p->call = i;
    }
  }
}

/* ---- replaceable loads ---- */

static bool is_slow_path_call(LLVMValueRef call)
{
  LLVMValueRef callee = cn_work_callee_of(call);
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  return LLVMIsACallInst(call) && (cn_is_poll_stub(name) || cn_is_slow_allocation(name));
}

/* Add the block to the blocks whose value at the entry is needed. False if there are too many such blocks. */
static bool ask_for_entry_value(struct pointer_promotion *c, uint32_t block)
{
  if (c->blocks[block].asked)
    return true;
  c->blocks[block].asked = true;
  cn_push(&c->asked, block);
  return c->asked.count <= MAX_PROMOTION_BLOCKS;
}

static bool may_replace_load(struct pointer_promotion *c, uint32_t block)
{
  bool carried = false, near = ask_for_entry_value(c, block);

  for (size_t n = 0; near && n < c->asked.count; n++) {
    const struct cn_cfg_block *at = &c->cfg.blocks[c->asked.at[n]];
    for (uint32_t p = 0; near && p < at->pred_count; p++) {
      const struct block_effect *from = &c->blocks[at->preds[p]];
      if (from->value)
        carried = true;
      else
        near = from->call ? is_slow_path_call(from->call) : ask_for_entry_value(c, at->preds[p]);
    }
  }
  for (size_t n = 0; n < c->asked.count; n++)
    c->blocks[c->asked.at[n]].asked = false;
  c->asked.count = 0;
  return carried && near;
}

/* ---- replacement ---- */

static LLVMValueRef emit_load_at_end(struct pointer_promotion *c, uint32_t block)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(c->ctx->llvm);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(c->cfg.blocks[block].block);

  LLVMPositionBuilderBefore(c->builder, end);
  LLVMSetCurrentDebugLocation2(c->builder, NULL);
  LLVMValueRef field = cn_emit_mutator_field_address(c->ctx, c->builder, CAIRN_ABI_MUTATOR_ALLOC);
  return LLVMBuildLoad2(c->builder, i64, field, "free");
}

static LLVMValueRef value_at_entry(struct pointer_promotion *c, uint32_t block);

/* The value that now stands for `value`: its replacement if it is a replaced load, else `value` itself. */
static LLVMValueRef current_value_of(const struct pointer_promotion *c, LLVMValueRef value)
{
  const uint64_t *number;

  while ((number = cn_ptrmap_find(&c->replaced, value)) != NULL)
    value = c->loads.at[*number - 1].value;
  return value;
}

static LLVMValueRef value_at_end(struct pointer_promotion *c, uint32_t block)
{
  struct block_effect *p = &c->blocks[block];

  if (!p->value && (p->call || c->cfg.blocks[block].pred_count == 0))
    p->value = emit_load_at_end(c, block);
  return p->value ? current_value_of(c, p->value) : value_at_entry(c, block);
}

/* Complete the phi for the edges from unreachable blocks, which the control flow graph leaves out. */
static void add_unreachable_edges(struct pointer_promotion *c, LLVMValueRef phi, LLVMBasicBlockRef block)
{
  LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(phi));

  CN_EACH_USE(use, LLVMBasicBlockAsValue(block)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsATerminatorInst(user))
      continue;
    LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
    if (cn_cfg_index_of(&c->cfg, from) == CN_NO_BLOCK)
      LLVMAddIncoming(phi, &none, &from, 1);
  }
}

/* The recursion ends because every cycle has a block with several predecessors, and this block gets its phi before the
 * recursion into its predecessors. */
static LLVMValueRef value_at_entry(struct pointer_promotion *c, uint32_t block)
{
  const struct cn_cfg_block *at = &c->cfg.blocks[block];
  struct block_effect *p = &c->blocks[block];

  if (p->entry)
    return p->entry;
  CN_CHECK(at->pred_count > 0);
  if (at->pred_count == 1)
    return value_at_end(c, at->preds[0]);
  LLVMPositionBuilderBeforeInstrAndDbgRecords(c->builder, cn_first_after_phis(at->block));
  LLVMSetCurrentDebugLocation2(c->builder, NULL);
  p->entry = LLVMBuildPhi(c->builder, LLVMInt64TypeInContext(c->ctx->llvm), "free");
  for (uint32_t n = 0; n < at->pred_count; n++) {
    LLVMValueRef value = value_at_end(c, at->preds[n]);
    LLVMBasicBlockRef from = c->cfg.blocks[at->preds[n]].block;
    LLVMAddIncoming(p->entry, &value, &from, 1);
  }
  add_unreachable_edges(c, p->entry, at->block);
  return p->entry;
}

/* The load stays until all loads are replaced, because it may be the `value` of blocks. */
static void replace_load(struct pointer_promotion *c, uint32_t block)
{
  LLVMValueRef load = c->blocks[block].use, value = value_at_entry(c, block);

  CN_CHECK(load != value);
  LLVMReplaceAllUsesWith(load, value);
  cn_push(&c->loads, (struct load_replacement){load, value});
  *cn_ptrmap_add(&c->replaced, load, NULL) = c->loads.count;
}

/* ---- the pass ---- */

static void promote_in_function(struct pointer_promotion *c)
{
  for (uint32_t b = 0; b < c->cfg.count; b++)
    find_block_effect(&c->blocks[b], c->cfg.blocks[b].block);
  for (uint32_t b = 0; b < c->cfg.count; b++)
    if (c->blocks[b].use && may_replace_load(c, b))
      replace_load(c, b);
  for (size_t i = 0; i < c->loads.count; i++)
    LLVMInstructionEraseFromParent(c->loads.at[i].load);
}

bool cn_promote_allocation_pointer(struct cn_ctx *ctx)
{
  if (!LLVMGetNamedGlobal(ctx->module, CN_MUTATOR))
    return true;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_FUNCTION(f, ctx->module) {
    if (!cn_is_managed(f) || LLVMIsDeclaration(f))
      continue;
    struct pointer_promotion c = {.ctx = ctx, .builder = builder};
    cn_cfg_build_edges(&c.cfg, f);
    c.blocks = cn_alloc(c.cfg.count * sizeof *c.blocks);
    promote_in_function(&c);
    free(c.blocks);
    cn_free(&c.asked);
    cn_free(&c.loads);
    cn_ptrmap_free(&c.replaced);
    cn_cfg_free(&c.cfg);
  }
  LLVMDisposeBuilder(builder);
  return ctx->errors == 0;
}
