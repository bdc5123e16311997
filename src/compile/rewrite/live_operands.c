/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks calls whose statepoints must list references that die at the call. A managed callee lists the arguments that it
 * still needs in its own statepoints, so its caller need not list them. A native callee lists no references: if it
 * collects while it uses its arguments, its caller must list them. A program asks for a list of the operands
 *   - by call: attribute "cairn-live-operands" on the call, or on the function that it names;
 *   - by module: rewrite-statepoints with the optimisation dead-operands off;
 *   - by value: a "gc-live" bundle on the call names the references to list, arguments or other values.
 *
 * Part of rewrite-statepoints. Needs: any function. Provides: attribute "cairn-live-operands" on each such call, and
 * later on its statepoint. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/rewrite.h"

bool cn_live_operands_wanted(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  CN_ASSERT(cn_is_call(call));
  if (callee && LLVMGetIntrinsicID(callee))
    return false;
  return !cn_is_relocation_option_on(ctx, CAIRN_RELOCATION_DEAD_OPERANDS) || cn_calls_lists_operands(call) ||
         (callee && cn_string_attribute(callee, CN_ATTR_LIVE_OPERANDS));
}

void cn_live_operands_mark(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMAttributeRef live =
      LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LIVE_OPERANDS, (unsigned)strlen(CN_ATTR_LIVE_OPERANDS), "", 0);

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      bool any = false;
      /* Classify last: most calls stay unmarked, and classification costs more than the other tests. */
      if (!cn_is_call(i) || !cn_live_operands_wanted(ctx, i) || cn_classify_call(i).kind != CN_CALL_PARSE_POINT)
        continue;
      for (unsigned a = 0; a < LLVMGetNumArgOperands(i) && !any; a++)
        any = cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, a)));
      if (any)
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, live);
    }
}
