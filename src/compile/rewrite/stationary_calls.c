/* SPDX-License-Identifier: Apache-2.0
 *
 * Records calls while all objects stay where they are: those of the runtime's check of a store (check_stores.c), and
 * those of functions that make such calls. To tell whether a place on the stack is described, the runtime walks to the
 * frame that has it, so each call on the path needs a frame map. Up to here these calls are leaves: placement of polls
 * ignores them, and barriers extend over them. Part of pass `rewrite-statepoints`.
 *
 * Needs: safepoints placed. Provides: functions with "cairn-still" lose their class of leaf; calls of them in functions
 * without records stay leaves. Breaks: the classes of these calls.
 */
#include "compile/rewrite/stationary_calls.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

/* True for a function that is declared a leaf, or whose statepoints are made already: the check finds its frame
 * unmapped, and refuses stores to a stack. */
static bool lacks_call_records(LLVMValueRef function)
{
  return cn_string_attribute(function, CN_ATTR_LEAF) || cn_has_statepoints(function);
}

static void mark_call_as_leaf(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMAttributeRef leaf = LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, (unsigned)strlen(CN_ATTR_LEAF), "", 0);

  CN_ASSERT(cn_is_call(call));
  if (cn_classify_call(call).kind != CN_CALL_STATEPOINT)
    LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, leaf);
}

void cn_stationary_calls_set_recorded(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (cn_string_attribute(f, CN_ATTR_STILL))
      LLVMRemoveStringAttributeAtIndex(f, CN_FUNCTION_INDEX, CN_ATTR_LEAF, (unsigned)strlen(CN_ATTR_LEAF));
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f) || !lacks_call_records(f))
      continue;
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (cn_calls_keeps_objects_in_place(i))
          mark_call_as_leaf(ctx, i);
  }
}
