/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortens calls of functions that are known to be native at compile time. The stub for any callee (cairn_call_any)
 * keeps six callee-saved registers for the walker at each call, since references of the caller or of its callers may be
 * in them. Here the caller saves them once:
 *
 *   r = call f(args)     r = call preserve_nonecc cairn_call_short(f, three times poison, args)
 *
 * By this convention a call preserves only one callee-saved register, the frame pointer. So the prologue saves the
 * others where the frame map says, and references that are live over the call are in the frame. The convention passes
 * its first four arguments in registers outside C's argument registers, and the others as C does, as long as registers
 * are left.
 *
 *   the call                                        form
 *   arguments in registers, a convention like C's   the short one
 *   any other                                       cairn_call_native (call_targets.c)
 *
 * Needs: final statepoints. Provides: cn_shorten_call(). Breaks: nothing.
 */
#include "compile/transitions/callees.h"

#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/transitions/rebuild.h"

/* True if an argument is passed by special rules. */
static bool has_specially_passed_argument(const struct cn_call_target *site)
{
  static const char *const kinds[] = {"byval",      "inreg",      "nest",         "swiftself",
                                      "swiftasync", "swifterror", "preallocated", "inalloca"};

  for (unsigned i = site->first; i < site->first + site->count; i++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      if (LLVMGetCallSiteEnumAttribute(site->call, i + 1, cn_attribute_kind(kinds[k])))
        return true;
  return false;
}

static bool arguments_fit_registers(const struct cn_call_target *site)
{
  unsigned used[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned i = 0; i < site->count; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(site->call, site->first + i));
    enum cn_register_class class = cn_register_class_of(type);
    if (class == CN_REGISTER_CLASS_OTHER || used[class]++ == cn_argument_register_count(class))
      return false;
  }
  return !has_specially_passed_argument(site);
}

/* True if the function has a frame of constant size. Others may need one of the registers to find it. */
static bool has_fixed_size_frame(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (LLVMIsAAllocaInst(i) && (!LLVMIsConstant(LLVMGetOperand(i, 0)) || b != LLVMGetEntryBasicBlock(function)))
        return false;
      if (cn_is_call(i) &&
          (cn_convention_has_tail_calls(LLVMGetInstructionCallConv(i)) || LLVMIsAInlineAsm(LLVMGetCalledValue(i))))
        return false;
    }
  return true;
}

bool cn_shorten_call(struct cn_ctx *ctx, const struct cn_call_target *site)
{
  LLVMValueRef poison = LLVMGetPoison(LLVMInt64TypeInContext(ctx->llvm));
  const struct cn_call_change change = {
      .callee = cn_declare_stub(ctx, CN_CALL_SHORT),
      .first = {cn_call_target_callee(site), poison, poison, poison},
      .first_count = CN_CONVENTION_NON_C_ARGUMENTS,
      .convention = CN_CONVENTION_PRESERVES_NONE,
  };

  CN_ASSERT(cn_target_is_native(cn_call_target_callee(site)));
  if (!site->is_statepoint || cn_convention_of(site->call) != CN_CONVENTION_PLAIN || !arguments_fit_registers(site) ||
      !has_fixed_size_frame(cn_call_target_caller(site)))
    return false;
  cn_rebuild_call(ctx, site, &change);
  return true;
}
