/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `slow-paths`: replaces calls of the runtime's stubs by direct calls of hidden thunks.
 *
 * Needs: all calls of the stubs. Provides: calls of a hidden thunk in this unit. Breaks: the stubs' names, which
 * identify stubs for calls.c and the statepoint ids.
 *
 * In position-independent code, a target may lie in another object. A statepoint then loads the target's address from
 * the global offset table into a register. LLVM hoists the load out of the loop, so that every poll would cost the loop
 * a register. A call of a hidden target is direct. The target is a thunk, because the stub itself must stay visible to
 * shared objects. If the runtime is linked in, the stub replaces the thunk, because the stub also has the thunk's name
 * there (stubs.S).
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"

static const char *const stub_names[] = {CN_POLL,
                                         CN_POLL_SLOW,
                                         CN_ALLOC_SLOW,
                                         CN_ALLOC_INDEXED_SLOW,
                                         CN_ALLOC_UNINIT_SLOW,
                                         CN_RESIZE_SLOW,
                                         CN_CALL_NATIVE,
                                         CN_VCALL_ANY,
                                         CN_CALL_SHORT,
                                         CN_CALL_MANAGED,
                                         CN_ENTER,
                                         CN_CALL_PASSING,
                                         CN_BARRIER_SNAPSHOT_SLOW,
                                         CN_BARRIER_LOAD_SLOW,
                                         CN_BARRIER_RANGE_SLOW,
                                         CN_CHECK_STORE,
                                         CN_CHECK_COPY,
                                         CN_CHECK_NATIVE_COPY,
                                         CN_CHECK_STORE_AT,
                                         CN_CHECK_COPY_AT};

void cn_slow_paths_add_thunk(struct cn_ctx *ctx, const char *name)
{
  char *thunk = cn_format(CN_SLOW_PREFIX "%s", name), *label = cn_format("\n%s:\n", thunk);
  char *jump = cn_convention_port_of(ctx->module)->format_jump(name);
  char *text = cn_format("  .section .text.%1$s,\"axG\",@progbits,%1$s,comdat\n"
                         "  .weak %1$s\n  .hidden %1$s\n  .type %1$s,@function%2$s  .cfi_startproc\n%3$s"
                         "  .cfi_endproc\n  .size %1$s, . - %1$s\n  .text\n",
                         thunk, label, jump);
  size_t length;

  if (!strstr(LLVMGetModuleInlineAsm(ctx->module, &length), label))
    LLVMAppendModuleInlineAsm(ctx->module, text, strlen(text));
  free(text);
  free(jump);
  free(label);
  free(thunk);
}

static void redirect_stub(struct cn_ctx *ctx, LLVMValueRef stub, const char *name)
{
  CN_CHECK(LLVMIsDeclaration(stub) && LLVMGetFirstUse(stub));
  char *thunk_name = cn_format(CN_SLOW_PREFIX "%s", name);
  LLVMValueRef thunk = LLVMAddFunction(ctx->module, thunk_name, LLVMGlobalGetValueType(stub));

  LLVMSetVisibility(thunk, LLVMHiddenVisibility);
  LLVMSetFunctionCallConv(thunk, LLVMGetFunctionCallConv(stub));
  LLVMReplaceAllUsesWith(stub, thunk);
  CN_CHECK(!LLVMGetFirstUse(stub));
  LLVMDeleteFunction(stub);
  cn_slow_paths_add_thunk(ctx, name);
  free(thunk_name);
}

bool cn_redirect_slow_paths(struct cn_ctx *ctx)
{
  for (size_t i = 0; i < sizeof stub_names / sizeof *stub_names; i++) {
    LLVMValueRef stub = LLVMGetNamedFunction(ctx->module, stub_names[i]);
    if (stub && LLVMIsDeclaration(stub) && LLVMGetFirstUse(stub))
      redirect_stub(ctx, stub, stub_names[i]);
  }
  return true;
}
