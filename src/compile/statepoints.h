/* SPDX-License-Identifier: Apache-2.0
 *
 * Statepoint directives on call sites. Private to src/compile.
 */
#ifndef CN_COMPILE_STATEPOINTS_H
#define CN_COMPILE_STATEPOINTS_H

#include "compile/pass.h"

/* The decimal value of call-site attribute `name` ("statepoint-id",
 * "statepoint-num-patch-bytes"; statepoints-later, "RewriteStatepointsForGC"); `*value` stays if
 * it is absent. False if it is no number up to `limit`. */
bool cn_statepoint_directive(LLVMValueRef call, const char *name, uint64_t limit, uint64_t *value);

#endif
