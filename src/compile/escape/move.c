/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates an object where it escapes. Part of pass `escape`.
 *
 * Needs: struct cn_sink_places. Provides: an allocation at each place, with the contents of the object at that point;
 * the uses that the place dominates then use this allocation. Breaks: nothing; struct cn_cfg stays valid.
 *
 * The contents come from the call's object, which is then free of escapes, so that the pass turns it into a local.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/scalars.h"
#include "compile/escape/escape.h"

struct allocation_move {
  struct cn_ctx *ctx;
  const struct cn_use_graph *web;
  LLVMBuilderRef builder;
  LLVMValueRef fresh; /* the allocation at the current place */
};

static LLVMValueRef build_field_address(struct allocation_move *m, LLVMValueRef object, uint64_t offset)
{
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(m->ctx->llvm), offset - m->web->object->tag, true);

  return LLVMBuildGEP2(m->builder, LLVMInt8TypeInContext(m->ctx->llvm), object, &index, 1, "");
}

static unsigned alignment_at(uint64_t offset)
{
  uint64_t align = CAIRN_ABI_OBJECT_ALIGN;

  while (offset % align != 0)
    align /= 2;
  return (unsigned)align;
}

static void copy_scalars(struct allocation_move *m, const struct cn_scalars *scalars)
{
  for (size_t i = 0; i < scalars->list.count; i++) {
    const struct cn_scalar *s = &scalars->list.at[i];
    LLVMValueRef from = build_field_address(m, m->web->object->root, s->offset);
    LLVMValueRef load = LLVMBuildLoad2(m->builder, s->type, from, "");
    LLVMSetAlignment(load, alignment_at(s->offset));
    LLVMValueRef store = LLVMBuildStore(m->builder, load, build_field_address(m, m->fresh, s->offset));
    LLVMSetAlignment(store, alignment_at(s->offset));
  }
}

/* Copy the contents. If the fields are few, the copy goes field by field, so that references stay references. */
static void copy_contents(struct allocation_move *m)
{
  const struct cn_object_node *object = m->web->object;
  struct cn_scalars scalars = {0};

  cn_scalars_of(m->ctx, object->type, &scalars);
  if (scalars.list.count <= CN_SCALARS_MOST) {
    copy_scalars(m, &scalars);
  } else {
    CN_CHECK(!object->refs); /* escape.c, may_copy_contents() */
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(m->ctx->llvm), object->size, false);
    LLVMBuildMemCpy(m->builder, build_field_address(m, m->fresh, 0), CAIRN_ABI_OBJECT_ALIGN,
                    build_field_address(m, object->root, 0), CAIRN_ABI_OBJECT_ALIGN, size);
  }
  cn_free(&scalars.list);
}

static void clone_allocation(struct allocation_move *m, LLVMValueRef before)
{
  LLVMValueRef call = m->web->object->root;

  LLVMPositionBuilderBeforeInstrAndDbgRecords(m->builder, before);
  LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(call));
  m->fresh = LLVMInstructionClone(call);
  LLVMInsertIntoBuilder(m->builder, m->fresh);
  copy_contents(m);
}

/* Build a pointer like `pointer` from the new object, at the builder's position. */
static LLVMValueRef rebuild_pointer(struct allocation_move *m, LLVMValueRef pointer)
{
  if (pointer == m->web->object->root)
    return m->fresh;
  CN_CHECK(LLVMIsAGetElementPtrInst(pointer));
  LLVMValueRef base = rebuild_pointer(m, LLVMGetOperand(pointer, 0));
  LLVMValueRef made = LLVMInstructionClone(pointer);
  LLVMSetOperand(made, 0, base);
  LLVMInsertIntoBuilder(m->builder, made);
  return made;
}

/* True if the operand of the user is the pointer; for a phi, the incoming block must be the use's block. */
static bool is_pointer_operand(const struct cn_use_graph_use *use, unsigned operand)
{
  return LLVMGetOperand(use->user, operand) == use->pointer &&
         (!LLVMIsAPHINode(use->user) || LLVMGetIncomingBlock(use->user, operand) == use->block);
}

static void redirect_use(struct allocation_move *m, const struct cn_use_graph_use *use)
{
  LLVMValueRef made = NULL;
  LLVMValueRef before = LLVMIsAPHINode(use->user) ? LLVMGetBasicBlockTerminator(use->block) : use->user;

  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(use->user); i++) {
    if (!is_pointer_operand(use, i))
      continue;
    if (!made) {
      LLVMPositionBuilderBefore(m->builder, before);
      made = rebuild_pointer(m, use->pointer);
    }
    LLVMSetOperand(use->user, i, made);
  }
}

/* True if the use comes after the place `before` in `block`. A use by a phi is at the end of the incoming block. */
static bool comes_after_place(const struct cn_cfg *cfg, const struct cn_use_graph_use *use, uint32_t block,
                              LLVMValueRef before)
{
  uint32_t at = cn_cfg_index_of(cfg, use->block);
  LLVMValueRef i = before;

  if (at != block || LLVMIsAPHINode(use->user))
    return cn_cfg_dominates(cfg, block, at);
  while (i && i != use->user)
    i = LLVMGetNextInstruction(i);
  return i != NULL;
}

void cn_sink_move_allocation(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_use_graph *web,
                             const struct cn_sink_places *sink)
{
  struct allocation_move m = {.ctx = ctx, .web = web, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_CHECK(sink->count > 0 && !web->joined);
  for (uint32_t i = 0; i < sink->count; i++) {
    clone_allocation(&m, sink->before[i]);
    for (size_t u = 0; u < web->uses.count; u++)
      if (comes_after_place(cfg, &web->uses.at[u], sink->blocks[i], sink->before[i]))
        redirect_use(&m, &web->uses.at[u]);
  }
  LLVMDisposeBuilder(m.builder);
}
