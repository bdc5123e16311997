/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds attributes to points, so that LLVM 22's inliner keeps them calls. In callers that catch exceptions the inliner
 * makes an invoke of each inlined call that may throw, and LLVM's verifier refuses invokes of stackmaps
 * (docs/llvm-22.md, "stackmaps in landing pads"). A call with directives (statepoints-later, "RewriteStatepointsForGC")
 * would vanish with its region if its callee was inlined. Part of pass prepare.
 *
 * Needs: nothing. Provides: stackmaps that never throw; calls with directives that are not inlined. Breaks: nothing.
 */
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/effects/points.h"
#include "compile/optimise/prepare.h"

/* LLVM 22's encoding of memory(inaccessiblemem: readwrite). */
enum { INACCESSIBLE_READ_WRITE = 3 << 2 };

/* LLVM deletes calls that neither write nor throw. */
static void add_write(struct cn_ctx *ctx, LLVMValueRef call)
{
  unsigned kind = cn_attribute_kind("memory");
  LLVMAttributeRef memory = LLVMGetCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, kind);

  if (!memory)
    return;
  uint64_t effects = LLVMGetEnumAttributeValue(memory) | INACCESSIBLE_READ_WRITE;
  LLVMRemoveCallSiteEnumAttribute(call, CN_FUNCTION_INDEX, kind);
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx->llvm, kind, effects));
}

void cn_points_add_attributes(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (cn_is_point_call(i) && !cn_point_call_of(i).is_patchpoint) {
        add_write(ctx, i);
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "nounwind"));
      }
      if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && cn_statepoint_has_directive(i))
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "noinline"));
    }
}
