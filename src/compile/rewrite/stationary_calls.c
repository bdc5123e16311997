/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes statepoints of calls during which all objects stay in place: calls of the runtime's check of a store
 * (check_stores.c), and calls of functions that call this check. To decide whether a place on the stack is described,
 * the runtime walks to the frame with the place, so each call on the path needs a frame map. Before this step calls of
 * the check are leaves: the placement of polls ignores them, and coalesced barriers may extend over them. Part of pass
 * `rewrite-statepoints`.
 *
 * Needs: safepoints placed. Provides: functions with "cairn-still" are no leaves any more, except at calls in functions
 * without records. Breaks: earlier classifications of calls of these functions.
 */
#include "compile/rewrite/rewrite.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

/* True for a function that is declared a leaf, or that has statepoints already. The check of a store finds no frame map
 * for the frame of such a function, and refuses stores to this frame. */
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
