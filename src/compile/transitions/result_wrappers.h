/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose result a statepoint cannot return. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_RESULT_WRAPPERS_H
#define CN_COMPILE_TRANSITIONS_RESULT_WRAPPERS_H

#include "compile/core/pass.h"

/* Move each parse point whose result a statepoint cannot return into a new native function. */
void cn_result_wrappers_build(struct cn_ctx *ctx);

/* The index of the callee among the arguments of the native function. */
enum { CN_RESULT_CALLEE_ARGUMENT = 1 };

/* True if `function` is one of these native functions and passes on references. The thread stays managed in
 * `function`. */
bool cn_result_wrapper_passes_refs(LLVMValueRef function);

#endif
