/* SPDX-License-Identifier: Apache-2.0
 *
 * Turn the rewriter's slots (demote.c) back into values, by LLVM's promotion, so that rewriting
 * again can choose anew. Needs: locals without zeroing and escapes (strip_allocas.c). Provides: a
 * function with fewer locals. Breaks: nothing but these: the program's own described locals are
 * promoted, too.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/strip/strip.h"

/* The module's data layout, and that references are no integers: none may be made of them while
 * they go from memory to values. Caller frees. */
static char *non_integral(struct cn_ctx *ctx)
{
  static const unsigned usual[] = {CAIRN_ABI_ADDRESS_SPACE};
  const struct cairn_compile_options *o = ctx->options;
  const unsigned *spaces = o->address_spaces ? o->address_spaces : usual;
  size_t count = o->address_spaces ? o->address_space_count : 1;
  const char *layout = LLVMGetDataLayoutStr(ctx->module);

  if (strstr(layout, "ni:"))
    return cn_strdup(layout);
  char *text = cn_format("%s%sni", layout, *layout ? "-" : "");
  for (size_t i = 0; i < count; i++) {
    char *longer = cn_format("%s:%u", text, spaces[i]);
    free(text);
    text = longer;
  }
  return text;
}

char *cn_strip_strict_layout(struct cn_ctx *ctx)
{
  char *layout = cn_strdup(LLVMGetDataLayoutStr(ctx->module)), *strict = non_integral(ctx);

  LLVMSetDataLayout(ctx->module, strict);
  free(strict);
  return layout;
}

void cn_strip_usual_layout(struct cn_ctx *ctx, char *layout)
{
  CN_CHECK(layout);
  LLVMSetDataLayout(ctx->module, layout);
  free(layout);
}

void cn_strip_promote(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  char *layout = cn_strip_strict_layout(ctx);
  LLVMErrorRef error =
      LLVMRunPassesOnFunction(function, "sroa<preserve-cfg>", ctx->machine, options);

  CN_ASSERT(LLVMIsAFunction(function));
  cn_strip_usual_layout(ctx, layout);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return;
  char *message = LLVMGetErrorMessage(error);
  cn_error(ctx, function, "llvm-pass", "%s", message);
  LLVMDisposeErrorMessage(message);
}
