/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls built again, with another callee, more arguments or another convention. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_REBUILD_H
#define CN_COMPILE_TRANSITIONS_REBUILD_H

#include "compile/core/convention.h"
#include "compile/transitions/callees.h"

/* The differences between the new call and the old call. */
struct cn_call_change {
  LLVMValueRef callee;
  LLVMValueRef first[CN_CONVENTION_NON_C_ARGUMENTS]; /* arguments before the old arguments */
  unsigned first_count;
  LLVMValueRef more[2]; /* arguments after the old arguments; the last one is `nest` */
  unsigned more_count;
  unsigned convention;
  bool keeps_passing;  /* false: arguments keep only the attributes of the C convention */
  const char *without; /* the tag of the bundle that the new call leaves out, or null */
};
/* Build the new call in place of the old call, and erase the old call. */
LLVMValueRef cn_rebuild_call(struct cn_ctx *ctx, const struct cn_call_target *site,
                             const struct cn_call_change *change);

/* Replace the callee of a call or statepoint by `stub`. The stub finds the target in the register that only `nest`
 * arguments use. */
void cn_rebuild_call_through_stub(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef stub,
                                  LLVMValueRef target);

/* True if the attribute says how an argument is passed under the C convention. */
bool cn_attribute_is_of_c_convention(LLVMAttributeRef attribute);

#endif
