/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps accesses to the language's own words (user_root_markers.c) in memory, in the order of the source: the collector
 * changes such a word at safepoints. Without this step the optimiser would keep a word in a register over places that
 * later get polls or allocations.
 *
 * Part of prepare. Needs: locals promoted. Provides: volatile accesses, or an error for an intrinsic that cannot be
 * volatile. Breaks: nothing.
 *
 * The search follows addresses of words through arithmetic, phis and selects, and into functions of this module that
 * get addresses as arguments. Functions that convert references to words, or words to references, lose the attributes
 * that let LLVM merge, drop or move calls: after a safepoint a second call returns another word.
 */
#include <string.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"
#include "compile/markers/markers.h"

struct pointer_walk {
  struct cn_ctx *ctx;
  CN_VECTOR(LLVMValueRef) pointers;
  struct cn_ptrmap seen;
};

static void add_pointer(struct pointer_walk *walk, LLVMValueRef pointer)
{
  bool fresh;

  cn_ptrmap_add(&walk->seen, pointer, &fresh);
  if (fresh)
    cn_push(&walk->pointers, pointer);
}

static void remove_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *promise)
{
  LLVMRemoveEnumAttributeAtIndex(function, index, cn_attribute_kind(promise));
}

/* Remove from the argument and its parameter the attributes that restrict the callee's accesses to their memory. */
static void remove_parameter_attributes(LLVMValueRef call, unsigned argument)
{
  static const char *const promises[] = {"readonly", "readnone", "writeonly", "initializes"};
  LLVMValueRef callee = cn_direct_callee(call);

  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    LLVMRemoveCallSiteEnumAttribute(call, argument + 1, cn_attribute_kind(promises[i]));
    if (callee)
      remove_attribute(callee, argument + 1, promises[i]);
  }
}

/* Remove attributes that let LLVM merge, drop or move calls. */
static void remove_memory_attributes(LLVMValueRef call)
{
  static const char *const promises[] = {"memory", "speculatable"};
  LLVMValueRef callee = cn_direct_callee(call);

  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    LLVMRemoveCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, cn_attribute_kind(promises[i]));
    if (callee)
      remove_attribute(callee, CN_FUNCTION_INDEX, promises[i]);
  }
}

static void make_intrinsic_volatile(struct pointer_walk *walk, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;
  CN_ASSERT(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee));
  const char *name = LLVMGetValueName2(callee, &length);

  if (cn_is_block_copy_or_fill(call))
    LLVMSetOperand(call, 3, LLVMConstInt(LLVMInt1TypeInContext(walk->ctx->llvm), 1, false));
  else if (!cn_intrinsic_has_effect(call, CN_EFFECT_NONE) && !cn_intrinsic_has_effect(call, CN_EFFECT_POINT))
    cn_error(walk->ctx, call, "user-root", "a user root is accessed by @%s, which may be left out or done elsewhere",
             name);
}

static void follow_pointer_into_call(struct pointer_walk *walk, LLVMValueRef call, LLVMValueRef pointer)
{
  LLVMValueRef callee = cn_direct_callee(call);
  bool defined = callee && !LLVMIsDeclaration(callee);

  if (callee && LLVMGetIntrinsicID(callee)) {
    if (cn_alloca_uses_returns_argument(call) || cn_intrinsic_has_effect(call, CN_EFFECT_BASE))
      add_pointer(walk, call);
    else
      make_intrinsic_volatile(walk, call);
    return;
  }
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    if (LLVMGetOperand(call, a) != pointer)
      continue;
    remove_parameter_attributes(call, a);
    if (defined && a < LLVMCountParams(callee))
      add_pointer(walk, LLVMGetParam(callee, a));
  }
  remove_memory_attributes(call);
}

static void follow_pointer_to_user(struct pointer_walk *walk, LLVMValueRef user, LLVMValueRef pointer)
{
  if (!LLVMIsAInstruction(user))
    return;
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMStore:
    if (LLVMGetOperand(user, 1) == pointer)
      LLVMSetVolatile(user, true);
    break;
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    if (LLVMGetOperand(user, 0) == pointer)
      LLVMSetVolatile(user, true);
    break;
  case LLVMGetElementPtr:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
    add_pointer(walk, user);
    break;
  case LLVMCall:
  case LLVMInvoke:
    follow_pointer_into_call(walk, user, pointer);
    break;
  default:
    break;
  }
}

static bool takes_or_returns_reference(LLVMValueRef call)
{
  bool found = cn_holds_ref(LLVMTypeOf(call));

  for (unsigned a = 0; a < LLVMGetNumArgOperands(call) && !found; a++)
    found = cn_holds_ref(LLVMTypeOf(LLVMGetOperand(call, a)));
  return found;
}

/* Any function of another unit that takes or returns a reference may convert words. */
static void remove_conversion_attributes(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef callee = cn_is_call(i) ? cn_direct_callee(i) : NULL;
      size_t length;
      if (callee && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && takes_or_returns_reference(i) &&
          strncmp(LLVMGetValueName2(callee, &length), "cairn", 5) != 0)
        remove_memory_attributes(i);
    }
}

void cn_user_words_make_volatile(struct cn_ctx *ctx)
{
  LLVMValueRef marker = LLVMGetNamedFunction(ctx->module, CN_USER_ROOT);
  struct pointer_walk walk = {.ctx = ctx};

  if (!marker || !LLVMGetFirstUse(marker))
    return;
  CN_EACH_USE(use, marker) {
    LLVMValueRef call = LLVMIsACallInst(LLVMGetUser(use));
    LLVMValueRef pointer = call ? LLVMGetOperand(call, 0) : NULL;
    while (pointer && LLVMIsAGetElementPtrInst(pointer))
      pointer = LLVMGetOperand(pointer, 0);
    if (pointer && LLVMIsAAllocaInst(pointer))
      add_pointer(&walk, pointer);
  }
  while (walk.pointers.count) {
    LLVMValueRef pointer = walk.pointers.at[--walk.pointers.count];
    CN_EACH_USE(use, pointer)
      follow_pointer_to_user(&walk, LLVMGetUser(use), pointer);
  }
  CN_EACH_FUNCTION(f, ctx->module)
    remove_conversion_attributes(f);
  cn_free(&walk.pointers);
  cn_ptrmap_free(&walk.seen);
}
