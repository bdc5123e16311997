/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces addresses of bodies, which front ends write for closures (docs/frontends.md, "A convention for closures"),
 * by addresses of the functions. LLVM then sees the function behind a call of such an address, and can inline the call.
 * Part of pass prepare.
 *
 * Needs: managed functions that are marked as such. Provides: local functions whose address stands for the body have
 * attribute "cairn-body-address" and get no entry (transitions/entries.c). Breaks: nothing.
 *
 * All uses of such a function are calls in managed code, and addresses of its body. Only calls that promise a managed
 * callee may use the address of a body, so native code never calls the function.
 */
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"
#include "compile/optimise/prepare.h"

typedef CN_VECTOR(LLVMValueRef) address_vector;

/* Gather the addresses of the function's body. False if the function has other uses than these and managed calls. */
static bool gather_body_addresses(struct cn_ctx *ctx, LLVMValueRef function, address_vector *bodies)
{
  CN_EACH_USE(use, function) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cn_types_is_body_address(ctx, user))
      cn_push(bodies, user);
    else if (!LLVMIsAInstruction(user) || !cn_calls_only_as_managed(user, function))
      return false;
  }
  return true;
}

void cn_body_addresses_replace(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module) {
    address_vector bodies = {0};
    if (LLVMGetLinkage(f) == LLVMInternalLinkage && !LLVMIsDeclaration(f) && cn_is_managed(f) &&
        gather_body_addresses(ctx, f, &bodies) && bodies.count) {
      for (size_t i = 0; i < bodies.count; i++)
        LLVMReplaceAllUsesWith(bodies.at[i], f);
      LLVMAddAttributeAtIndex(
          f, CN_FUNCTION_INDEX,
          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_BODY_ADDRESS, sizeof CN_ATTR_BODY_ADDRESS - 1, "", 0));
    }
    cn_free(&bodies);
  }
}
