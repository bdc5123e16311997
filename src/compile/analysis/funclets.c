/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds funclets: blocks after a cleanuppad or catchpad, which become separate functions. A call in a funclet must name
 * the pad in a bundle, or LLVM deletes the call as unreachable.
 *
 * Needs: nothing. Provides: cn_funclet_pad_of(); cn_funclet_build_call(), which emits a call in a funclet. Breaks:
 * nothing.
 */
#include "compile/analysis/funclets.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"

static bool has_funclets(LLVMValueRef function)
{
  if (!LLVMHasPersonalityFn(function))
    return false;
  CN_EACH_BLOCK(b, function) {
    LLVMValueRef i = cn_first_after_phis(b);
    if (i && LLVMIsAFuncletPadInst(i))
      return true;
  }
  return false;
}

/* The pad of the code after the terminator `end` of a block in funclet `pad`. A catchret returns to the funclet around
 * its catchswitch; other terminators stay in `pad`. */
static LLVMValueRef funclet_pad_after(LLVMValueRef end, LLVMValueRef pad)
{
  if (!LLVMIsACatchReturnInst(end))
    return pad;
  LLVMValueRef parent = LLVMGetOperand(LLVMGetParentCatchSwitch(LLVMGetOperand(end, 0)), 0);
  return LLVMIsAFuncletPadInst(parent) ? parent : NULL; /* else the catchswitch is outside of all funclets */
}

LLVMValueRef cn_funclet_pad_of(LLVMBasicBlockRef block)
{
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  struct cn_cfg cfg;

  if (!has_funclets(function))
    return NULL;
  cn_cfg_build_edges(&cfg, function);
  LLVMValueRef *pads = cn_alloc(cfg.count * sizeof *pads);
  uint32_t wanted = cn_cfg_index_of(&cfg, block);
  for (uint32_t b = 0; b < cfg.count && wanted != CN_NO_BLOCK && b <= wanted; b++) {
    const struct cn_cfg_block *at = &cfg.blocks[b];
    LLVMValueRef first = cn_first_after_phis(at->block);
    uint32_t p = 0; /* the first predecessor that precedes the block */
    while (b && at->preds[p] >= b)
      p++;
    if (LLVMIsAFuncletPadInst(first))
      pads[b] = first;
    else if (b)
      pads[b] = funclet_pad_after(LLVMGetBasicBlockTerminator(cfg.blocks[at->preds[p]].block), pads[at->preds[p]]);
  }
  LLVMValueRef pad = wanted == CN_NO_BLOCK ? NULL : pads[wanted];
  free(pads);
  cn_cfg_free(&cfg);
  return pad;
}

LLVMValueRef cn_funclet_build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef pad)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(function);

  CN_ASSERT(LLVMIsAFunction(function));
  if (!pad)
    return LLVMBuildCall2(builder, type, function, NULL, 0, "");
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("funclet", 7, &pad, 1);
  LLVMValueRef call = LLVMBuildCallWithOperandBundles(builder, type, function, NULL, 0, &bundle, 1, "");
  LLVMDisposeOperandBundle(bundle);
  return call;
}
