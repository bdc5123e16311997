/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass that may fail after it has changed something, on a copy first. Needs: a pass that does the
 * same on equal modules. Provides: a module that is refused stays as it was. Breaks: what the pass
 * breaks.
 */
#include "base/check.h"
#include "compile/pass.h"

bool cn_rehearse(struct cn_ctx *ctx, cn_pass *run)
{
  const struct cairn_compile_options *options = ctx->options;
  struct cairn_compile_options quiet = *options;
  struct cn_ctx copy = *ctx;

  copy.module = LLVMCloneModule(ctx->module);
  copy.layout = LLVMGetModuleDataLayout(copy.module);
  bool ok = run(&copy);
  ctx->errors = copy.errors;
  LLVMDisposeModule(copy.module);
  if (!ok)
    return false;
  quiet.diagnose = NULL; /* it was said of the copy */
  ctx->options = &quiet;
  ok = run(ctx);
  ctx->options = options;
  CN_CHECK(ok);
  return true;
}
