/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/rewrite.h"
void cn_describe_allocas(struct cn_ctx *ctx, LLVMValueRef function, struct cn_described *out)
{ (void)ctx; (void)function; (void)out; }
void cn_refuse_allocas(struct cn_ctx *ctx, LLVMValueRef function)
{ (void)ctx; (void)function; }
