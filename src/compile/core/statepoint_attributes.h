/* SPDX-License-Identifier: Apache-2.0
 *
 * Callees of calls and statepoints, the attributes of a call that its statepoint keeps, and the directives that choose
 * a statepoint's form. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_STATEPOINT_ATTRIBUTES_H
#define CN_COMPILE_CORE_STATEPOINT_ATTRIBUTES_H

#include "compile/core/pass.h"

/* The number of arguments of gc.statepoint before the call's arguments: id, patch bytes, callee, count, flags. */
enum { CN_STATEPOINT_FIXED_ARGS = 5 };

/* The callee of a call or a statepoint: its operand index, the type of the call, and its arguments. */
struct cn_call_target {
  LLVMValueRef call;
  LLVMTypeRef type; /* null for a statepoint without a type */
  unsigned callee_operand;
  unsigned first, count; /* operands */
  bool is_statepoint;
};
struct cn_call_target cn_call_target_of(LLVMValueRef call);

static inline LLVMValueRef cn_call_target_callee(const struct cn_call_target *site)
{
  return LLVMGetOperand(site->call, site->callee_operand);
}

static inline LLVMValueRef cn_call_target_caller(const struct cn_call_target *site)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(site->call));
}

/* The id of a statepoint whose call site lacks a "statepoint-id". */
uint64_t cn_statepoint_default_id(LLVMValueRef call);

/* Copy the attributes that stay true. cn_statepoint_copy_attributes() copies from a call to its statepoint,
 * cn_copy_result_attributes() from the call's result to the gc.result. */
void cn_statepoint_copy_attributes(LLVMValueRef call, LLVMValueRef statepoint);
void cn_copy_result_attributes(LLVMValueRef call, LLVMValueRef result);

/* Set `*value` to the decimal value of attribute `name` ("statepoint-id" or "statepoint-num-patch-bytes";
 * statepoints-later, "RewriteStatepointsForGC") of the call site, or else of its callee. `*value` stays unchanged if
 * the attribute is absent. False if the value is not a number up to `limit`. */
bool cn_statepoint_parse_directive(LLVMValueRef call, const char *name, uint64_t limit, uint64_t *value);

/* Set *live_in to true if the deoptimisation state is needed only at the entry of the callee
 * ("deopt-lowering"="live-in"), else to false. False if the attribute has another value than "live-in" or
 * "live-through". */
bool cn_statepoint_deopt_lowering(LLVMValueRef call, bool *live_in);

/* True if the call has a directive, so that it must become a statepoint. */
bool cn_statepoint_has_directive(LLVMValueRef call);

/* True if a statepoint with `deopt` deopt values, `live` references and `others` operands is too long for instruction
 * selection, and the message for this error. */
bool cn_statepoint_is_too_long(uint64_t deopt, uint64_t live, uint64_t others);
extern const char cn_statepoint_too_long_reason[];

#endif
