/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds the guard of a module with managed code: a symbol and a word in a section of the object. `cairn frames
 * --rewrite` removes the guard from the object. Tells whether a module has statepoints. Needs: nothing. Provides:
 * cn_add_link_guard(), cn_module_has_statepoints(). Breaks: nothing.
 */

#include "base/guard.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

bool cn_module_has_statepoints(struct cn_ctx *ctx)
{
  unsigned statepoint = cn_intrinsic_id("llvm.experimental.gc.statepoint");

  CN_EACH_FUNCTION(f, ctx->module)
    if (LLVMGetIntrinsicID(f) == statepoint && LLVMGetFirstUse(f))
      return true;
  return false;
}

/* Add a word that refers to the symbol. The word is private, so that the object's symbol table omits it. */
static void add_guard_word(struct cn_ctx *ctx, LLVMValueRef symbol)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMValueRef word = LLVMAddGlobal(ctx->module, pointer, "cairn.guard");

  LLVMSetInitializer(word, symbol);
  LLVMSetGlobalConstant(word, true);
  LLVMSetLinkage(word, LLVMPrivateLinkage);
  LLVMSetSection(word, CN_GUARD_SECTION);
  LLVMSetAlignment(word, 8);
  cn_emit_append_to_list(ctx, "llvm.used", pointer, &word, 1);
}

LLVMValueRef cn_add_link_guard(struct cn_ctx *ctx)
{
  LLVMValueRef symbol = LLVMGetNamedGlobal(ctx->module, CN_GUARD_SYMBOL);

  if (symbol && LLVMIsDeclaration(symbol))
    return symbol;
  if (symbol || LLVMGetNamedFunction(ctx->module, CN_GUARD_SYMBOL)) {
    cn_error(ctx, NULL, "reserved-name", "@%s is a name of Cairn's own", CN_GUARD_SYMBOL);
    return NULL;
  }
  symbol = LLVMAddGlobal(ctx->module, LLVMInt8TypeInContext(ctx->llvm), CN_GUARD_SYMBOL);
  LLVMSetVisibility(symbol, LLVMHiddenVisibility);
  add_guard_word(ctx, symbol);
  return symbol;
}
