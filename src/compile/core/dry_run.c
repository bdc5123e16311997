/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a pass that may fail after changes on a copy first. Needs: a pass that acts alike on equal modules. Provides: a
 * refused module stays unchanged. Breaks: as the pass.
 *
 * The copy has its own context: additions of a pass to a context, such as kinds of metadata, are written with every
 * module of that context.
 */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include "base/check.h"
#include "compile/core/pass.h"

static LLVMModuleRef copy_module_into_context(LLVMContextRef context, LLVMModuleRef module)
{
  LLVMMemoryBufferRef bytes = LLVMWriteBitcodeToMemoryBuffer(module);
  LLVMModuleRef copy = NULL;

  CN_CHECK(!LLVMParseBitcodeInContext2(context, bytes, &copy));
  LLVMDisposeMemoryBuffer(bytes);
  return copy;
}

bool cn_dry_run(struct cn_ctx *ctx, cn_pass_function *run)
{
  const struct cairn_compile_options *options = ctx->options;
  struct cairn_compile_options quiet = *options;
  struct cn_ctx copy = *ctx;
  struct cairn_compile_options unwatched = *options;

  copy.llvm = LLVMContextCreate();
  copy.module = copy_module_into_context(copy.llvm, ctx->module);
  copy.layout = LLVMGetModuleDataLayout(copy.module);
  unwatched.step = NULL; /* only the steps on the module itself are told */
  copy.options = &unwatched;
  bool ok = run(&copy);
  ctx->errors = copy.errors;
  LLVMDisposeModule(copy.module);
  LLVMContextDispose(copy.llvm);
  if (!ok)
    return false;
  quiet.diagnose = NULL; /* the copy's run has reported */
  ctx->options = &quiet;
  ok = run(ctx);
  ctx->options = options;
  CN_CHECK(ok);
  return true;
}
