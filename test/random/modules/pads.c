/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: where the invokes of a function unwind to. Many share a pad; what is invoked in a
 * pad unwinds to those before it.
 */
#include "random/modules/maker.h"

static void set_personality(struct cn_maker *m, const char *name)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);

  if (!f)
    f = LLVMAddFunction(m->module, name, LLVMFunctionType(m->i32, NULL, 0, true));
  LLVMSetPersonalityFn(m->function, f);
}

void cn_make_pads(struct cn_maker *m)
{
  bool ordinary = cn_has(m, CN_FORM_INVOKES) || cn_has(m, CN_FORM_TOKEN_PADS);

  m->pad_count = 0;
  if (!ordinary && !cn_has(m, CN_FORM_FUNCLETS))
    return;
  set_personality(m, ordinary ? "random_personality" : "__CxxFrameHandler3");
  m->pad_count = 1 + cn_below(m, CN_PADS);
  for (unsigned p = 0; p < m->pad_count; p++)
    m->pads[p] = cn_cfg_block(m);
}

/* What happens in a pad: references live into it are used. */
static void use_references(struct cn_maker *m, LLVMValueRef funclet)
{
  LLVMOperandBundleRef bundle = funclet ? LLVMCreateOperandBundle("funclet", 7, &funclet, 1) : NULL;
  LLVMValueRef f = cn_native(m, "cairn_collect");

  cn_set(m, CN_NODE, cn_get(m, CN_NODE));
  cn_set(m, CN_NUMBER, LLVMBuildLoad2(m->builder, m->i64, cn_get(m, CN_CELL), ""));
  if (cn_chance(m, 50))
    LLVMBuildCallWithOperandBundles(m->builder, LLVMGlobalGetValueType(f), f, NULL, 0, &bundle, bundle != NULL, "");
  cn_set(m, CN_SLOT, cn_get(m, CN_SLOT));
  if (bundle)
    LLVMDisposeOperandBundle(bundle);
}

/* A pad that catches goes on in the function; one that cleans up resumes. */
static void fill_landing_pad(struct cn_maker *m, bool token)
{
  LLVMTypeRef types[] = {m->ptr, m->i32};
  LLVMTypeRef type = token ? LLVMTokenTypeInContext(m->llvm) : LLVMStructTypeInContext(m->llvm, types, 2, false);
  LLVMValueRef pad = LLVMBuildLandingPad(m->builder, type, NULL, 1, ""), exception;
  bool catches = token || cn_chance(m, 70);

  if (catches)
    LLVMAddClause(pad, LLVMConstNull(m->ptr));
  LLVMSetCleanup(pad, !catches || cn_chance(m, 30));
  use_references(m, NULL);
  if (catches && !token) {
    exception = LLVMBuildExtractValue(m->builder, pad, 0, "");
    cn_call_native(m, "random_caught", &exception, 1);
  }
  cn_steps(m, cn_below(m, 3));
  if (!catches) {
    LLVMBuildResume(m->builder, pad);
    return;
  }
  cn_burn(m);
  LLVMBuildBr(m->builder, m->blocks[cn_below(m, m->block_count)]);
}

static void fill_funclet(struct cn_maker *m)
{
  LLVMValueRef none = LLVMConstNull(LLVMTokenTypeInContext(m->llvm)), pad, args[3], choice;

  if (cn_chance(m, 50)) {
    pad = LLVMBuildCleanupPad(m->builder, none, NULL, 0, "");
    use_references(m, pad);
    LLVMBuildCleanupRet(m->builder, pad, NULL);
    return;
  }
  LLVMBasicBlockRef handler = cn_cfg_block(m);
  choice = LLVMBuildCatchSwitch(m->builder, none, NULL, 1, "");
  LLVMAddHandler(choice, handler);
  LLVMPositionBuilderAtEnd(m->builder, handler);
  args[0] = LLVMConstNull(m->ptr);
  args[1] = LLVMConstInt(m->i32, 64, false);
  args[2] = LLVMConstNull(m->ptr);
  pad = LLVMBuildCatchPad(m->builder, choice, args, 3, "");
  use_references(m, pad);
  LLVMBuildCatchRet(m->builder, pad, m->end);
}

void cn_fill_pads(struct cn_maker *m)
{
  while (m->pad_count > 0) {
    LLVMBasicBlockRef pad = m->pads[--m->pad_count];
    if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(pad))) {
      LLVMDeleteBasicBlock(pad);
      continue;
    }
    LLVMPositionBuilderAtEnd(m->builder, pad);
    if (cn_has(m, CN_FORM_FUNCLETS) && !cn_has(m, CN_FORM_INVOKES) && !cn_has(m, CN_FORM_TOKEN_PADS))
      fill_funclet(m);
    else
      fill_landing_pad(m, cn_has(m, CN_FORM_TOKEN_PADS));
  }
}
