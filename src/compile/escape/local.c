/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns an object into a local. Part of pass `escape`.
 *
 * Needs: a use graph that is free of escapes. Provides: an alloca in the entry block in place of the object; code at
 * the former allocation clears the alloca if the object was cleared. Breaks: nothing; struct cn_cfg stays valid.
 *
 * If LLVM leaves a local with references in memory, rewrite-statepoints describes it to the collector, like any local
 * whose address is taken.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/scalars.h"
#include "compile/escape/escape.h"

struct local_replacement {
  struct cn_ctx *ctx;
  const struct cn_use_graph *web;
  LLVMBuilderRef builder;
  struct cn_ptrmap made; /* pointer of the use graph -> its replacement */
};

static LLVMTypeRef pointer_type(const struct local_replacement *l)
{
  return LLVMPointerTypeInContext(l->ctx->llvm, 0);
}

static void note_replacement(struct local_replacement *l, LLVMValueRef pointer, LLVMValueRef made)
{
  CN_ASSERT(LLVMTypeOf(made) == pointer_type(l));
  *cn_ptrmap_add(&l->made, pointer, NULL) = (uintptr_t)made;
}

static void position_builder(struct local_replacement *l, LLVMValueRef at)
{
  LLVMPositionBuilderBefore(l->builder, at);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(at));
}

/* ---- pointers ---- */

static LLVMValueRef replacement_of_pointer(struct local_replacement *l, LLVMValueRef pointer);

static LLVMValueRef rebuild_gep(struct local_replacement *l, LLVMValueRef gep)
{
  unsigned count = (unsigned)LLVMGetNumOperands(gep) - 1;
  LLVMValueRef *indices = cn_alloc((count + 1) * sizeof *indices);
  LLVMValueRef base = replacement_of_pointer(l, LLVMGetOperand(gep, 0));

  for (unsigned i = 0; i < count; i++)
    indices[i] = LLVMGetOperand(gep, i + 1);
  position_builder(l, gep);
  LLVMValueRef made = LLVMBuildGEPWithNoWrapFlags(l->builder, LLVMGetGEPSourceElementType(gep), base, indices, count,
                                                  "", LLVMGEPGetNoWrapFlags(gep));
  free(indices);
  return made;
}

static LLVMValueRef replacement_of_input(struct local_replacement *l, LLVMValueRef in)
{
  return LLVMIsUndef(in) ? LLVMGetPoison(pointer_type(l)) : replacement_of_pointer(l, in);
}

static LLVMValueRef rebuild_select(struct local_replacement *l, LLVMValueRef select)
{
  LLVMValueRef yes = replacement_of_input(l, LLVMGetOperand(select, 1));
  LLVMValueRef no = replacement_of_input(l, LLVMGetOperand(select, 2));

  position_builder(l, select);
  return LLVMBuildSelect(l->builder, LLVMGetOperand(select, 0), yes, no, "");
}

/* The replacement of a pointer. A phi gets its inputs later, because an input may depend on the phi. */
static LLVMValueRef replacement_of_pointer(struct local_replacement *l, LLVMValueRef pointer)
{
  uint64_t *known = cn_ptrmap_find(&l->made, pointer);
  LLVMValueRef made;

  if (known)
    return (LLVMValueRef)(uintptr_t)*known;
  CN_CHECK(cn_use_graph_has(l->web, pointer));
  if (LLVMIsAGetElementPtrInst(pointer)) {
    made = rebuild_gep(l, pointer);
  } else if (LLVMIsASelectInst(pointer)) {
    made = rebuild_select(l, pointer);
  } else {
    CN_CHECK(LLVMIsAPHINode(pointer));
    position_builder(l, pointer);
    made = LLVMBuildPhi(l->builder, pointer_type(l), "");
  }
  note_replacement(l, pointer, made);
  return made;
}

static void connect_phi(struct local_replacement *l, LLVMValueRef phi)
{
  LLVMValueRef made = replacement_of_pointer(l, phi);

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef in = replacement_of_input(l, LLVMGetIncomingValue(phi, i));
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
    LLVMAddIncoming(made, &in, &block, 1);
  }
}

/* ---- uses ---- */

static void replace_and_erase(LLVMValueRef old, LLVMValueRef value)
{
  LLVMReplaceAllUsesWith(old, value);
  LLVMInstructionEraseFromParent(old);
}

/* A comparison with a pointer outside the use graph has a constant result, because the object's address is unique. */
static void rewrite_compare(struct local_replacement *l, LLVMValueRef compare)
{
  LLVMTypeRef bit = LLVMInt1TypeInContext(l->ctx->llvm);
  LLVMValueRef sides[2];

  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef side = LLVMGetOperand(compare, i);
    if (!cn_use_graph_has(l->web, side)) {
      replace_and_erase(compare, LLVMConstInt(bit, LLVMGetICmpPredicate(compare) == LLVMIntNE, false));
      return;
    }
    sides[i] = replacement_of_pointer(l, side);
  }
  for (unsigned i = 0; i < 2; i++)
    LLVMSetOperand(compare, i, sides[i]);
}

static LLVMValueRef replacement_of_operand(struct local_replacement *l, LLVMValueRef call, unsigned operand)
{
  LLVMValueRef pointer = LLVMGetOperand(call, operand);

  return cn_use_graph_has(l->web, pointer) ? replacement_of_pointer(l, pointer) : pointer;
}

static void rewrite_call(struct local_replacement *l, LLVMValueRef call)
{
  LLVMValueRef to = replacement_of_operand(l, call, 0),
               from = LLVMGetNumArgOperands(call) > 1 ? replacement_of_operand(l, call, 1) : NULL;
  LLVMTypeRef type = LLVMTypeOf(call);

  position_builder(l, call);
  if (cn_calls_intrinsic(call, "llvm.memset")) {
    LLVMBuildMemSet(l->builder, to, from, LLVMGetOperand(call, 2), 1);
  } else if (cn_calls_intrinsic(call, "llvm.memcpy")) {
    LLVMBuildMemCpy(l->builder, to, 1, from, 1, LLVMGetOperand(call, 2));
  } else if (cn_calls_intrinsic(call, "llvm.memmove")) {
    LLVMBuildMemMove(l->builder, to, 1, from, 1, LLVMGetOperand(call, 2));
  } else if (!cn_calls_intrinsic(call, "llvm.assume")) {
    LLVMValueRef value = LLVMConstNull(type); /* a test for an immediate is false for objects */
    if (from)
      value = LLVMBuildSub(l->builder, LLVMBuildPtrToInt(l->builder, to, type, ""),
                           LLVMBuildPtrToInt(l->builder, from, type, ""), "");
    LLVMReplaceAllUsesWith(call, value);
  }
  LLVMInstructionEraseFromParent(call);
}

static void rewrite_user(struct local_replacement *l, LLVMValueRef user)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
    LLVMSetOperand(user, 0, replacement_of_pointer(l, LLVMGetOperand(user, 0)));
    break;
  case LLVMStore:
    LLVMSetOperand(user, 1, replacement_of_pointer(l, LLVMGetOperand(user, 1)));
    break;
  case LLVMICmp:
    rewrite_compare(l, user);
    break;
  case LLVMCall:
    rewrite_call(l, user);
    break;
  default:
    CN_UNREACHABLE();
  }
}

/* Change each user once, even if it uses two pointers. */
static void rewrite_users(struct local_replacement *l)
{
  struct cn_ptrmap changed = {0};

  for (size_t i = 0; i < l->web->uses.count; i++) {
    bool fresh;
    CN_CHECK(!l->web->uses.at[i].escapes);
    cn_ptrmap_add(&changed, l->web->uses.at[i].user, &fresh);
    if (fresh)
      rewrite_user(l, l->web->uses.at[i].user);
  }
  cn_ptrmap_free(&changed);
}

/* ---- the local ---- */

static LLVMValueRef address_in_local(struct local_replacement *l, LLVMValueRef alloca, uint64_t offset)
{
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(l->ctx->llvm), offset, false);

  return offset ? LLVMBuildGEP2(l->builder, LLVMInt8TypeInContext(l->ctx->llvm), alloca, &index, 1, "") : alloca;
}

static void clear_bytes(struct local_replacement *l, LLVMValueRef alloca, uint64_t from, uint64_t to)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(l->ctx->llvm), i64 = LLVMInt64TypeInContext(l->ctx->llvm);

  if (from < to)
    LLVMBuildMemSet(l->builder, address_in_local(l, alloca, from), LLVMConstNull(byte),
                    LLVMConstInt(i64, to - from, false), from % CAIRN_ABI_OBJECT_ALIGN ? 1 : CAIRN_ABI_OBJECT_ALIGN);
}

/* Clear the local. References are stored as null: LLVM may turn a memset of one reference into the store of an integer,
 * and does not promote a local that has an integer where it has a reference. */
static void clear_local(struct local_replacement *l, LLVMValueRef alloca)
{
  const struct cn_object_node *object = l->web->object;
  struct cn_scalars scalars = {0};
  uint64_t at = 0;

  cn_scalars_of(l->ctx, object->type, &scalars);
  for (size_t i = 0; scalars.list.count <= CN_SCALARS_MOST && i < scalars.list.count; i++) {
    const struct cn_scalar *s = &scalars.list.at[i];
    if (!cn_is_ref(s->type) || s->offset < at)
      continue;
    clear_bytes(l, alloca, at, s->offset);
    LLVMBuildStore(l->builder, LLVMConstNull(s->type), address_in_local(l, alloca, s->offset));
    at = s->offset + LLVMStoreSizeOfType(l->ctx->layout, s->type);
  }
  clear_bytes(l, alloca, at, object->size);
  cn_free(&scalars.list);
}

static void make_alloca(struct local_replacement *l)
{
  const struct cn_object_node *object = l->web->object;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(object->root));
  LLVMTypeRef byte = LLVMInt8TypeInContext(l->ctx->llvm), i64 = LLVMInt64TypeInContext(l->ctx->llvm);
  LLVMValueRef tag = LLVMConstInt(i64, object->tag, false);

  LLVMPositionBuilderBeforeInstrAndDbgRecords(l->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  LLVMValueRef alloca = LLVMBuildAlloca(l->builder, object->type, "object");
  LLVMSetAlignment(alloca, CAIRN_ABI_OBJECT_ALIGN);
  position_builder(l, object->root);
  if (!object->allocator->uninit)
    clear_local(l, alloca);
  note_replacement(l, object->root, object->tag ? LLVMBuildGEP2(l->builder, byte, alloca, &tag, 1, "") : alloca);
}

void cn_replace_object_by_local(struct cn_ctx *ctx, const struct cn_use_graph *web)
{
  struct local_replacement l = {.ctx = ctx, .web = web, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  CN_CHECK(!cn_use_graph_first_escape(web));
  make_alloca(&l);
  for (size_t i = 1; i < web->pointers.count; i++)
    replacement_of_pointer(&l, web->pointers.at[i].value);
  for (size_t i = 1; i < web->pointers.count; i++)
    if (LLVMIsAPHINode(web->pointers.at[i].value))
      connect_phi(&l, web->pointers.at[i].value);
  rewrite_users(&l);
  for (size_t i = 0; i < web->pointers.count; i++)
    LLVMReplaceAllUsesWith(web->pointers.at[i].value, LLVMGetPoison(LLVMTypeOf(web->pointers.at[i].value)));
  for (size_t i = 0; i < web->pointers.count; i++)
    LLVMInstructionEraseFromParent(web->pointers.at[i].value);
  cn_ptrmap_free(&l.made);
  LLVMDisposeBuilder(l.builder);
}
