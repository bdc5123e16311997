/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a pass on a copy of the module first, so that a refused module stays unchanged. Needs: a pass with equal results
 * on equal modules. Provides: cn_dry_run(). Breaks: as the pass does.
 *
 * The copy has a separate context, because LLVM writes a context's additions, such as kinds of metadata, with every
 * module of the context.
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
  unwatched.step = NULL; /* only the run on the module itself reports its steps */
  copy.options = &unwatched;
  bool ok = run(&copy);
  ctx->errors = copy.errors;
  LLVMDisposeModule(copy.module);
  LLVMContextDispose(copy.llvm);
  if (!ok)
    return false;
  quiet.diagnose = NULL; /* the run on the copy has reported already */
  ctx->options = &quiet;
  ok = run(ctx);
  ctx->options = options;
  CN_CHECK(ok);
  return true;
}
