/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the slots of the rewriter (demote.c) back into values by LLVM's promotion of locals, so that a second rewriting
 * can choose slots anew. Part of strip-statepoints. Needs: locals without zeroing and escapes (strip_allocas.c).
 * Provides: a function with fewer locals; a non-integral layout for the time of the promotion. Breaks: only locals;
 * described locals of the program may be promoted too.
 */
#include <stdlib.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/data_layout.h"
#include "compile/strip/strip.h"

/* With non-integral references, the promotion of locals cannot turn a reference into an integer. */
char *cn_strip_set_strict_layout(struct cn_ctx *ctx)
{
  char *layout = cn_strdup(LLVMGetDataLayoutStr(ctx->module));
  char *strict = cn_layout_make_non_integral(ctx->options, layout);

  LLVMSetDataLayout(ctx->module, strict);
  free(strict);
  return layout;
}

void cn_strip_restore_layout(struct cn_ctx *ctx, char *layout)
{
  CN_CHECK(layout);
  LLVMSetDataLayout(ctx->module, layout);
  free(layout);
}

void cn_strip_promote_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  char *layout = cn_strip_set_strict_layout(ctx);
  LLVMErrorRef error = LLVMRunPassesOnFunction(function, "sroa<preserve-cfg>", ctx->machine, options);

  CN_ASSERT(LLVMIsAFunction(function));
  cn_strip_restore_layout(ctx, layout);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return;
  char *message = LLVMGetErrorMessage(error);
  cn_error(ctx, function, "llvm-pass", "%s", message);
  LLVMDisposeErrorMessage(message);
}
