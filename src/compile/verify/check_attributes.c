/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks rule unchanging-memory: attributes and metadata that let the code generator move a memory access over a
 * safepoint, or replace an access after a safepoint by an access before it. The code generator moves accesses after the
 * verifier has run, and uses the old address. If a rewriter left such an attribute, the machine code may be wrong.
 * Needs: nothing. Provides: diagnostics unchanging-memory. Breaks: nothing.
 */
#include "compile/verify/verify.h"

#include "compile/analysis/invalid_attributes.h"
#include "compile/core/each.h"

static void check_invalid_metadata(struct cn_verifier *v, LLVMValueRef i, const struct cn_invalid_attribute *promise)
{
  if ((promise->at & CN_AT_ACCESS_METADATA) && cn_access_has_invalid_attribute(v->ctx, i, promise))
    cn_error(v->ctx, i, "unchanging-memory",
             "!%s says that memory never changes, but safepoints move and write it: later passes may move the "
             "access over one; drop it",
             promise->name);
}

static void check_constant_root_load(struct cn_verifier *v, LLVMValueRef load)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(LLVMGetOperand(load, 0));
  size_t length;

  if (global && cn_is_constant_root(global))
    cn_error(v->ctx, load, "unchanging-memory",
             "'%s' is a constant, and holds references that a safepoint changes: declare it as a "
             "variable",
             LLVMGetValueName2(global, &length));
}

static void check_instruction_attributes(struct cn_verifier *v, LLVMValueRef i)
{
  if (LLVMIsALoadInst(i))
    check_constant_root_load(v, i);
  if (!LLVMHasMetadata(i) || !cn_access_touches_references(i))
    return;
  for (unsigned p = 0; p < cn_invalid_attribute_count; p++)
    if (cn_invalid_attributes[p].at & CN_LETS_ACCESS_MOVE)
      check_invalid_metadata(v, i, &cn_invalid_attributes[p]);
}

void cn_verify_attributes(struct cn_verifier *v)
{
  if (v->epochs.statepoints.count == 0)
    return;
  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      check_instruction_attributes(v, i);
}
