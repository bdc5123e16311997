/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `count-allocations`: reports the number of allocation calls in each managed function; the example of
 * docs/hacking.md. Needs: allocation calls, before pass `allocate` expands them. Provides: remarks. Breaks: nothing.
 */
#include "compile/core/pass.h"
#include "compile/core/each.h"
#include "compile/allocation/layout_constants.h"

static unsigned count_allocation_calls(LLVMValueRef function)
{
  unsigned calls = 0;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      calls += cn_layouts_called_allocator(i) != NULL;
  return calls;
}

bool cn_count_allocations(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      cn_remark(ctx, f, "allocations", "has %u allocation calls", count_allocation_calls(f));
  return true;
}
