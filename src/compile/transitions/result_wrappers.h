/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose result a statepoint cannot return. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_RESULT_WRAPPERS_H
#define CN_COMPILE_TRANSITIONS_RESULT_WRAPPERS_H

#include "compile/core/pass.h"

/* Move every parse point of managed functions that returns another type into a native function. */
void cn_result_wrappers_build(struct cn_ctx *ctx);

/* The index of the callee among the arguments of such a function. */
enum { CN_RESULT_CALLEE_ARGUMENT = 1 };

/* True if `function` is one of these and references go through it. The thread stays managed in it. */
bool cn_result_wrapper_passes_refs(LLVMValueRef function);

#endif
