/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls built again, with another callee, more arguments or another convention. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_REBUILD_H
#define CN_COMPILE_TRANSITIONS_REBUILD_H

#include "compile/core/convention.h"
#include "compile/transitions/callees.h"

/* The differences of the new call. */
struct cn_call_change {
  LLVMValueRef callee;
  LLVMValueRef first[CN_CONVENTION_NON_C_ARGUMENTS]; /* arguments before the old ones */
  unsigned first_count;
  LLVMValueRef more[2]; /* arguments after the old ones; the last is `nest` */
  unsigned more_count;
  unsigned convention;
  bool keeps_passing;  /* false: of arguments' attributes only those of C remain */
  const char *without; /* the tag of a bundle to leave out; or null */
};
/* Build the call again in the place of the old one, which is erased. */
LLVMValueRef cn_rebuild_call(struct cn_ctx *ctx, const struct cn_call_target *site,
                             const struct cn_call_change *change);

/* Send a call, or statepoint, to `stub`, which finds the target in the register that only `nest` arguments use. */
void cn_rebuild_call_through_stub(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef stub,
                                  LLVMValueRef target);

/* True if the attribute says how an argument is passed under the C convention. */
bool cn_attribute_is_of_c_convention(LLVMAttributeRef attribute);

#endif
