/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks and lowers allocas in a managed address space: objects that a front end keeps in the frame. Part of
 * rewrite-statepoints. An object in the frame stays in place and is no root, and the collector must never see it as an
 * object of the heap. Code may compute with the object's address, compare, load, store, and pass the address to leaves.
 * The address is refused at places that the collector scans for references: in memory, in a callee with safepoints, or
 * in a phi or select with other values than managed allocas and constants. An object that holds references becomes an
 * ordinary local, with a cast of its address, so that its references are described like those of any local.
 *
 * Needs: any function. Provides: errors; each alloca that holds references is in native memory. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/core/each.h"
#include "compile/rewrite/normalise/normalise.h"
#include "compile/rewrite/values/refs.h"

struct alloca_use_check {
  struct cn_ctx *ctx;
  LLVMValueRef alloca;
  CN_VECTOR(LLVMValueRef) work; /* the address, and values computed from it */
  struct cn_ptrmap seen;
};

/* True for a managed alloca, or for the cast that replaced a managed alloca in an earlier execution of the pass. */
static bool is_stack_object(LLVMValueRef value)
{
  bool address = LLVMIsAAllocaInst(value) || cn_is_local_cast(value);

  return address && cn_is_ref(LLVMTypeOf(value));
}

static void refuse_alloca_use(const struct alloca_use_check *s, LLVMValueRef at, const char *why)
{
  char name[64];

  cn_error(s->ctx, at, "managed-alloca", "%s, an object in the frame, %s", cn_value_name(s->alloca, name, sizeof name),
           why);
}

static void add_reached_value(struct alloca_use_check *s, LLVMValueRef value)
{
  bool fresh;

  cn_ptrmap_add(&s->seen, value, &fresh);
  if (fresh)
    cn_push(&s->work, value);
}

static void check_use_in_call(struct alloca_use_check *s, LLVMValueRef call, LLVMValueRef value)
{
  if (cn_is_ref(LLVMTypeOf(call)) && cn_alloca_uses_returns_argument(call)) {
    add_reached_value(s, call);
    return;
  }
  bool parse = cn_classify_call(call).kind == CN_CALL_PARSE_POINT;
  for (uint32_t o = 0; o < (uint32_t)LLVMGetNumOperands(call); o++)
    if (LLVMGetOperand(call, o) == value && (parse || o >= LLVMGetNumArgOperands(call))) {
      refuse_alloca_use(s, call,
                        "is given to a call that may collect garbage, and would be taken for one in "
                        "the heap");
      return;
    }
}

static void check_use_by_instruction(struct alloca_use_check *s, LLVMValueRef user, LLVMValueRef value)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMFreeze:
  case LLVMPHI:
  case LLVMSelect:
    add_reached_value(s, user);
    break;
  case LLVMStore:
    if (LLVMGetOperand(user, 0) == value)
      refuse_alloca_use(s, user, "is stored where the collector would find it");
    break;
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
    if (LLVMGetOperand(user, 0) != value)
      refuse_alloca_use(s, user, "is stored where the collector would find it");
    break;
  case LLVMInsertElement:
  case LLVMInsertValue:
  case LLVMShuffleVector:
    refuse_alloca_use(s, user, "becomes part of a vector or struct");
    break;
  case LLVMRet:
    refuse_alloca_use(s, user, "is returned");
    break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    check_use_in_call(s, user, value);
    break;
  default:
    break;
  }
}

static LLVMValueRef underlying_object_of(LLVMValueRef value)
{
  while (LLVMIsAGetElementPtrInst(value) || LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value) ||
         (LLVMIsACallInst(value) && cn_alloca_uses_returns_argument(value)))
    value = LLVMGetOperand(value, 0);
  return value;
}

static void check_merge_inputs(struct alloca_use_check *s, LLVMValueRef merge)
{
  unsigned phi = LLVMIsAPHINode(merge) ? LLVMCountIncoming(merge) : 0;

  CN_ASSERT(phi || LLVMIsASelectInst(merge));
  for (unsigned i = 0; i < (phi ? phi : 2); i++) {
    LLVMValueRef from = phi ? LLVMGetIncomingValue(merge, i) : LLVMGetOperand(merge, i + 1);
    LLVMValueRef object = underlying_object_of(from);
    if (LLVMIsConstant(object) || is_stack_object(object) || cn_ptrmap_find(&s->seen, object))
      continue;
    refuse_alloca_use(s, merge, "and a value of another kind meet in one value: no map can tell which of them it is");
    return;
  }
}

static void check_alloca_uses(struct cn_ctx *ctx, LLVMValueRef alloca)
{
  struct alloca_use_check s = {.ctx = ctx, .alloca = alloca};

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  add_reached_value(&s, alloca);
  for (size_t w = 0; w < s.work.count; w++)
    CN_EACH_USE(use, s.work.at[w])
      check_use_by_instruction(&s, LLVMGetUser(use), s.work.at[w]);
  for (size_t w = 0; w < s.work.count; w++)
    if (LLVMIsAPHINode(s.work.at[w]) || LLVMIsASelectInst(s.work.at[w]))
      check_merge_inputs(&s, s.work.at[w]);
  cn_free(&s.work);
  cn_ptrmap_free(&s.seen);
}

void cn_managed_allocas_refuse(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_stack_object(i))
        check_alloca_uses(ctx, i);
}

static LLVMValueRef replace_by_native_alloca(LLVMBuilderRef builder, LLVMValueRef alloca)
{
  size_t length;
  char *name = cn_strdup(LLVMGetValueName2(alloca, &length));

  CN_CHECK(LLVMIsAAllocaInst(alloca) && cn_is_ref(LLVMTypeOf(alloca)));
  LLVMPositionBuilderBefore(builder, alloca);
  LLVMValueRef local = LLVMBuildArrayAlloca(builder, LLVMGetAllocatedType(alloca), LLVMGetOperand(alloca, 0), "");
  CN_CHECK(!cn_is_ref(LLVMTypeOf(local)));
  LLVMSetAlignment(local, LLVMGetAlignment(alloca));
  LLVMValueRef address = LLVMBuildAddrSpaceCast(builder, local, LLVMTypeOf(alloca), "");
  LLVMReplaceAllUsesWith(alloca, address);
  LLVMInstructionEraseFromParent(alloca);
  LLVMSetValueName2(local, name, length);
  free(name);
  return address;
}

void cn_managed_allocas_lower(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAAllocaInst(i) && is_stack_object(i) &&
          (cn_holds_ref(LLVMGetAllocatedType(i)) || cn_alloca_uses_access_references(ctx, i)))
        i = replace_by_native_alloca(builder, i);
  LLVMDisposeBuilder(builder);
}
