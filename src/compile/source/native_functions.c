/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes functions of a managed unit of C native if they handle no reference. Part of passes `rules` and `prepare`.
 * Needs: the unit's IR. Provides: attribute "cairn-unmanaged" on the following two kinds of functions. Breaks: nothing.
 *
 *   - A function with the name of a C library function that is a leaf, and its callees in this unit, if all their
 *     callees in other units are leaves. Other units call this name as a leaf, so the function must be native code.
 *   - With options->native_functions: a function that has only native callers, and whose callees in this unit are all
 *     native. The unit shows all callers of main, of handlers for signal() and sigaction(), and of static functions. As
 *     native code these functions run without polls, and without transitions to the C library.
 *
 * All other functions stay managed: managed code may call them often, and each transition would cost time.
 */
#include <string.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

struct native_search {
  struct cn_ctx *ctx;
  struct cn_ptrmap native; /* function -> 1 if it may be native, 0 if it turned out managed */
  CN_VECTOR(LLVMValueRef) work;
};

static bool has_internal_linkage(LLVMValueRef function)
{
  return LLVMGetLinkage(function) == LLVMInternalLinkage;
}

static const char *function_name_of(LLVMValueRef function)
{
  size_t length;

  return LLVMGetValueName2(function, &length);
}

/* True if `function` is a definition without a mark of managed code. */
static bool is_native_candidate(struct cn_ctx *ctx, LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && !LLVMGetGC(function) && !cn_managed_is_requested(ctx->module, function) &&
         !cn_managed_is_annotated(ctx->module, function, CN_ATTR_NOPOLL) && cn_managed_is_free_of_refs(function);
}

static void mark_unmanaged(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(!LLVMIsDeclaration(function) && !LLVMGetGC(function)); /* is_native_candidate() holds */
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_UNMANAGED, sizeof CN_ATTR_UNMANAGED - 1, "", 0));
}

static bool is_marked_unmanaged(LLVMValueRef function)
{
  return cn_string_attribute(function, CN_ATTR_UNMANAGED) != NULL;
}

/* ---- names of the C library ---- */

/* Add the callees of `function` that the unit defines. False if another callee is not a leaf. */
static bool add_native_callees(struct native_search *s, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef callee = cn_is_call(i) ? cn_direct_callee(i) : NULL;
      bool added, known = callee && (LLVMGetIntrinsicID(callee) ||
                                     (LLVMIsDeclaration(callee) && cn_classify_call(i).kind == CN_CALL_LEAF));
      if (!cn_is_call(i) || known || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        continue;
      if (!callee || !is_native_candidate(s->ctx, callee))
        return false;
      cn_ptrmap_add(&s->native, callee, &added);
      if (added)
        cn_push(&s->work, callee);
    }
  return true;
}

static void mark_library_leaf(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct native_search s = {.ctx = ctx};
  bool leaf = is_native_candidate(ctx, function);

  cn_ptrmap_add(&s.native, function, NULL);
  cn_push(&s.work, function);
  for (size_t i = 0; leaf && i < s.work.count; i++)
    leaf = add_native_callees(&s, s.work.at[i]);
  for (size_t i = 0; leaf && i < s.work.count; i++)
    mark_unmanaged(ctx, s.work.at[i]);
  cn_ptrmap_free(&s.native);
  cn_free(&s.work);
}

/* ---- functions that only native code calls ---- */

static bool is_signal_handler_use(LLVMValueRef user, LLVMValueRef function)
{
  if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == function) {
    LLVMValueRef at = LLVMGetOperand(user, 1);
    LLVMTypeRef type = LLVMIsAGetElementPtrInst(at) ? LLVMGetGEPSourceElementType(at) : NULL;
    const char *name = type && LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    return name && strcmp(name, "struct.sigaction") == 0;
  }
  LLVMValueRef callee = cn_is_call(user) ? cn_direct_callee(user) : NULL;
  return callee && LLVMIsDeclaration(callee) && strcmp(function_name_of(callee), "signal") == 0;
}

static bool is_direct_call_of(LLVMValueRef user, LLVMValueRef function)
{
  if (!cn_is_call(user) || cn_direct_callee(user) != function)
    return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
    if (LLVMGetOperand(user, i) == function)
      return false;
  return true;
}

/* True if the unit shows all callers of `function`: it is main or static, and its uses are direct calls or
 * installations as signal handler. */
static bool has_only_known_callers(LLVMValueRef function)
{
  bool known = strcmp(function_name_of(function), "main") == 0 || has_internal_linkage(function);

  for (LLVMUseRef use = LLVMGetFirstUse(function); known && use; use = LLVMGetNextUse(use))
    known = is_direct_call_of(LLVMGetUser(use), function) || is_signal_handler_use(LLVMGetUser(use), function);
  return known && (LLVMGetFirstUse(function) || !has_internal_linkage(function));
}

static bool may_be_native(struct native_search *s, LLVMValueRef function)
{
  uint64_t *state = cn_ptrmap_find(&s->native, function);

  return is_marked_unmanaged(function) || cn_managed_is_annotated(s->ctx->module, function, CN_ATTR_UNMANAGED) ||
         (state && *state);
}

static LLVMValueRef caller_of(LLVMValueRef call)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
}

/* True if a managed definition of this unit calls `function`, or if `function` calls such a definition or a function of
 * the runtime. */
static bool has_managed_neighbour(struct native_search *s, LLVMValueRef function)
{
  CN_EACH_USE(use, function)
    if (is_direct_call_of(LLVMGetUser(use), function) && !may_be_native(s, caller_of(LLVMGetUser(use))))
      return true;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef callee = cn_is_call(i) ? cn_direct_callee(i) : NULL;
      if (callee &&
          (LLVMIsDeclaration(callee) ? strncmp(function_name_of(callee), "cairn", 5) == 0 : !may_be_native(s, callee)))
        return true;
    }
  return false;
}

/* Remove `function` from the candidates, and list its callees and callers for another check. */
static void drop_native_candidate(struct native_search *s, LLVMValueRef function)
{
  uint64_t *state = cn_ptrmap_find(&s->native, function);

  CN_CHECK(state && *state);
  *state = 0;
  CN_EACH_USE(use, function)
    if (is_direct_call_of(LLVMGetUser(use), function))
      cn_push(&s->work, caller_of(LLVMGetUser(use)));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && cn_direct_callee(i))
        cn_push(&s->work, cn_direct_callee(i));
}

/* Begin with all candidates as native, and remove the candidates with managed callers or callees until the set stays
 * the same. */
static void mark_natively_called(struct cn_ctx *ctx)
{
  struct native_search s = {.ctx = ctx};

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && has_only_known_callers(f) && is_native_candidate(ctx, f)) {
      *cn_ptrmap_add(&s.native, f, NULL) = 1;
      cn_push(&s.work, f);
    }
  for (size_t i = 0; i < s.work.count; i++) {
    uint64_t *state = cn_ptrmap_find(&s.native, s.work.at[i]);
    if (state && *state && has_managed_neighbour(&s, s.work.at[i]))
      drop_native_candidate(&s, s.work.at[i]);
  }
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_ptrmap_find(&s.native, f) && *cn_ptrmap_find(&s.native, f))
      mark_unmanaged(ctx, f);
  cn_ptrmap_free(&s.native);
  cn_free(&s.work);
}

void cn_managed_mark_natives(struct cn_ctx *ctx)
{
  if (!ctx->options->manage_all)
    return;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && !has_internal_linkage(f) && cn_calls_leaf_reason(function_name_of(f)))
      mark_library_leaf(ctx, f);
  if (ctx->options->native_functions)
    mark_natively_called(ctx);
}
