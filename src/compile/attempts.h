/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes in order, tried at lower and lower optimisation levels. Private to src/compile.
 */
#ifndef CN_COMPILE_ATTEMPTS_H
#define CN_COMPILE_ATTEMPTS_H

#include "compile/passes.h"

/* The name of LLVM's optimiser in an order of passes. */
#define CN_OPTIMISE "optimise"

/* True if LLVM's verifier runs after each pass already in the first attempt. */
#ifdef CAIRN_VERIFY_EACH
enum { CN_VERIFY_EACH_PASS = true };
#else
enum { CN_VERIFY_EACH_PASS = false };
#endif

/* Run the passes of `order`, which ends in null, on clones of `prepared`. Returns the clone of the successful attempt,
 * or null after errors. */
LLVMModuleRef cn_run_attempts(struct cn_ctx *prepared, const char *const *order);

/* Run the passes of `order` once, on the module itself, for tier QUICK. False after an error. */
bool cn_run_once(struct cn_ctx *ctx, const char *const *order);

#endif
