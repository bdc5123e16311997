/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: where the invokes of a function unwind to. All share one pad.
 */
#include "tools/random/maker.h"

static void set_personality(struct cn_maker *m, const char *name)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);

  if (!f)
    f = LLVMAddFunction(m->module, name, LLVMFunctionType(m->i32, NULL, 0, true));
  LLVMSetPersonalityFn(m->function, f);
}

void cn_make_pad(struct cn_maker *m)
{
  bool ordinary = cn_has(m, CN_FORM_INVOKES) || cn_has(m, CN_FORM_TOKEN_PADS);

  if (!ordinary && !cn_has(m, CN_FORM_FUNCLETS))
    return;
  set_personality(m, ordinary ? "__gxx_personality_v0" : "__CxxFrameHandler3");
  m->pad = cn_block(m);
}

/* What happens in a pad: references live into it are used. Calls here must not unwind to it. */
static void use_references(struct cn_maker *m, LLVMValueRef funclet)
{
  LLVMOperandBundleRef bundle = funclet ? LLVMCreateOperandBundle("funclet", 7, &funclet, 1) : NULL;
  LLVMValueRef f = cn_native(m, "cairn_collect");

  cn_set(m, CN_NODE, cn_get(m, CN_NODE));
  cn_set(m, CN_NUMBER, LLVMBuildLoad2(m->builder, m->i64, cn_get(m, CN_CELL), ""));
  if (cn_chance(m, 50))
    LLVMBuildCallWithOperandBundles(m->builder, LLVMGlobalGetValueType(f), f, NULL, 0, &bundle,
                                    bundle != NULL, "");
  cn_set(m, CN_SLOT, cn_get(m, CN_SLOT));
  if (bundle)
    LLVMDisposeOperandBundle(bundle);
}

static void fill_landing_pad(struct cn_maker *m, bool token)
{
  LLVMTypeRef types[] = {m->ptr, m->i32};
  LLVMTypeRef type = token ? LLVMTokenTypeInContext(m->llvm)
                           : LLVMStructTypeInContext(m->llvm, types, 2, false);
  LLVMValueRef pad = LLVMBuildLandingPad(m->builder, type, NULL, 1, "");
  bool catches = cn_chance(m, 60), resumes = !token && cn_chance(m, 50);

  if (catches)
    LLVMAddClause(pad, LLVMConstNull(m->ptr));
  LLVMSetCleanup(pad, !catches || cn_chance(m, 30));
  use_references(m, NULL);
  if (!resumes) {
    LLVMBuildBr(m->builder, m->end);
    return;
  }
  LLVMBasicBlockRef out = cn_block(m);
  LLVMBuildCondBr(m->builder, cn_flag(m), m->end, out);
  LLVMPositionBuilderAtEnd(m->builder, out);
  LLVMBuildResume(m->builder, pad);
}

static void fill_funclet(struct cn_maker *m)
{
  LLVMValueRef none = LLVMGetUndef(LLVMTokenTypeInContext(m->llvm)), pad, args[3], choice;

  none = LLVMConstNull(LLVMTokenTypeInContext(m->llvm));
  if (cn_chance(m, 50)) {
    pad = LLVMBuildCleanupPad(m->builder, none, NULL, 0, "");
    use_references(m, pad);
    LLVMBuildCleanupRet(m->builder, pad, NULL);
    return;
  }
  LLVMBasicBlockRef handler = cn_block(m);
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

void cn_fill_pad(struct cn_maker *m)
{
  LLVMBasicBlockRef pad = m->pad;

  if (!pad)
    return;
  m->pad = NULL;
  if (!LLVMGetFirstUse(LLVMBasicBlockAsValue(pad))) {
    LLVMDeleteBasicBlock(pad);
    return;
  }
  LLVMPositionBuilderAtEnd(m->builder, pad);
  if (cn_has(m, CN_FORM_FUNCLETS))
    fill_funclet(m);
  else
    fill_landing_pad(m, cn_has(m, CN_FORM_TOKEN_PADS));
}
