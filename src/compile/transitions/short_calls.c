/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortens calls whose callee the compiler identifies as native. The stub for any callee (cairn_call_any) saves six
 * callee-saved registers at each call for the stack walk, because the registers may contain references of the caller or
 * of its callers. A short call lets the caller save these registers once, in its prologue:
 *
 *   r = call f(args)     r = call preserve_nonecc cairn_call_short(f, three times poison, args)
 *
 * A call of convention preserve_none preserves only one register, the frame pointer. The caller's prologue therefore
 * saves the other callee-saved registers at places that the frame map describes, and the frame contains the references
 * that are live over the call. The convention passes the first four arguments in registers outside C's argument
 * registers, and the next arguments in C's argument registers.
 *
 *   the call                                        form
 *   arguments in registers, a convention like C's   the short one, on targets that have it
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

static bool arguments_fit_registers(const struct cn_convention_port *port, const struct cn_call_target *site)
{
  unsigned used[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned i = 0; i < site->count; i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(site->call, site->first + i));
    enum cn_register_class class = cn_register_class_of(type);
    if (class == CN_REGISTER_CLASS_OTHER || used[class]++ == port->argument_registers[class])
      return false;
  }
  return !has_specially_passed_argument(site);
}

/* True if the function has a frame of constant size. A function with a variable frame may need a callee-saved register
 * to address its frame. */
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
  const struct cn_convention_port *port = cn_convention_port_of(ctx->module);
  LLVMValueRef poison = LLVMGetPoison(LLVMInt64TypeInContext(ctx->llvm));
  const struct cn_call_change change = {
      .callee = cn_declare_stub(ctx, CN_CALL_SHORT),
      .first = {cn_call_target_callee(site), poison, poison, poison},
      .first_count = CN_CONVENTION_NON_C_ARGUMENTS,
      .convention = CN_CONVENTION_PRESERVES_NONE,
  };

  CN_ASSERT(cn_target_is_native(cn_call_target_callee(site)));
  if (!port->has_short_calls || !site->is_statepoint || cn_convention_of(site->call) != CN_CONVENTION_PLAIN ||
      !arguments_fit_registers(port, site) || !has_fixed_size_frame(cn_call_target_caller(site)))
    return false;
  cn_rebuild_call(ctx, site, &change);
  return true;
}
