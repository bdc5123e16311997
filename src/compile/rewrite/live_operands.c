/* SPDX-License-Identifier: Apache-2.0
 *
 * References that a call is given and nobody needs after it. To Cairn's own callees they are dead:
 * each lists in its own frame what it still needs. A callee without statepoints lists nothing; if
 * it collects while it uses what it was given, its caller must list that. A program asks for it
 *   - by call: attribute "cairn-live-operands" on the call, or on the function that it names;
 *   - by module: rewrite-statepoints without the optimisation dead-operands;
 *   - by value: a "gc-live" bundle on the call lists its operands, arguments or not.
 *
 * Part of rewrite-statepoints. Needs: nothing. Provides: the attribute on each call that wants
 * it, which its statepoint keeps. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/live_operands.h"

bool cn_live_operands_wanted(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  CN_ASSERT(cn_is_call(call));
  if (callee && LLVMGetIntrinsicID(callee))
    return false;
  return !cn_relocation_on(ctx, CAIRN_RELOCATION_DEAD_OPERANDS) || cn_calls_list_operands(call) ||
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
      /* Classify last: most calls are not wanted, and classification costs more. */
      if (!cn_is_call(i) || !cn_live_operands_wanted(ctx, i) || cn_classify_call(i).kind != CN_CALL_PARSE)
        continue;
      for (unsigned a = 0; a < LLVMGetNumArgOperands(i) && !any; a++)
        any = cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, a)));
      if (any)
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, live);
    }
}
