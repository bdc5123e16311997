/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of a call that its statepoint keeps, and those that choose how it is made. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_CORE_STATEPOINT_ATTRIBUTES_H
#define CN_COMPILE_CORE_STATEPOINT_ATTRIBUTES_H

#include "compile/core/pass.h"

/* Arguments of gc.statepoint before the call's own: id, patch bytes, callee, count, flags. */
enum { CN_STATEPOINT_FIXED_ARGS = 5 };

/* The id of a statepoint whose call site has no "statepoint-id". */
uint64_t cn_statepoint_default_id(LLVMValueRef call);

/* Copy the attributes that stay true: from the call to its statepoint, from its result to the
 * gc.result. */
void cn_statepoint_attributes(LLVMValueRef call, LLVMValueRef statepoint);
void cn_statepoint_result_attributes(LLVMValueRef call, LLVMValueRef result);

/* The decimal value of attribute `name` of the call site, or else of its callee ("statepoint-id",
 * "statepoint-num-patch-bytes"; statepoints-later, "RewriteStatepointsForGC"); `*value` stays if
 * it is absent. False if it is no number up to `limit`. */
bool cn_statepoint_directive(LLVMValueRef call, const char *name, uint64_t limit, uint64_t *value);

/* Is the deoptimisation state needed at the entry of the callee only ("deopt-lowering"="live-in")?
 * False if the attribute says something unknown. */
bool cn_statepoint_lowering(LLVMValueRef call, bool *live_in);

/* Does any of these attributes ask for a record of this call? */
bool cn_statepoint_wanted(LLVMValueRef call);

#endif
