/* SPDX-License-Identifier: Apache-2.0
 *
 * The pipeline for callers that dispose of their module afterwards. Private to src.
 */
#ifndef CN_COMPILE_PIPELINE_H
#define CN_COMPILE_PIPELINE_H

#include <cairn/compile.h>
#include "compile/core/pass.h"
#include "compile/passes.h"

/* Makes the unprepared module of a compilation again, in another context; null after a message. */
struct cn_module_source {
  LLVMModuleRef (*read_again)(void *env);
  void *env;
};

/* Runs the pipeline like cairn_compile_pipeline(), but on `module` itself instead of a copy. If `source` is null, the
 * attempts run on clones; the caller still owns `module`, and may only dispose of it. Otherwise the function takes
 * `module`, the first attempt runs on it, and *result may be in the context of the module that was read again. */
enum cairn_status cn_pipeline_run_consuming(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            const struct cairn_compile_options *options,
                                            const struct cn_module_source *source, LLVMModuleRef *result);

/* ---- attempts.c: the passes in order, tried at lower and lower optimisation levels ---- */

/* The name of LLVM's optimiser in an order of passes. */
#define CN_OPTIMISE "optimise"

/* True if LLVM's verifier runs after each pass already in the first attempt. */
#ifdef CAIRN_VERIFY_EACH
enum { CN_VERIFY_EACH_PASS = true };
#else
enum { CN_VERIFY_EACH_PASS = false };
#endif

/* Makes a prepared module again from the same input, without diagnostics; null if the input has changed. */
struct cn_preparation {
  LLVMModuleRef (*prepare_again)(void *env);
  void *env;
};

/* Run the passes of `order`, which ends in null, on clones of `prepared`. If `preparation` is given, the first attempt
 * runs on the prepared module itself, which is prepared again if this attempt fails. Returns the module of the
 * successful attempt, which may be prepared->module, or null after errors. */
LLVMModuleRef cn_run_attempts(struct cn_ctx *prepared, const char *const *order,
                              const struct cn_preparation *preparation);

/* Run the passes of `order` once, on the module itself, for tier QUICK. False after an error. */
bool cn_run_once(struct cn_ctx *ctx, const char *const *order);

/* ---- lto_unit.c ---- */

/* Units that are compiled in two steps. Between the steps, a linker joins their modules. Only Cairn may generate code
 * for the joined module. */

/* The symbol that a unit refers to. The symbol stays undefined, so that linkers report it by name. */
#define CN_LTO_GUARD "cairn_lto_object_that_only_cairn_cc_can_link"

/* Mark a unit that passed `rules` and the first step of `prepare`. */
void cn_lto_mark_unit(struct cn_ctx *ctx);

/* Remove the marks from the module of joined units. Reports an error and returns false if a part comes from another
 * compiler. */
bool cn_lto_unmark_program(struct cn_ctx *ctx);

#endif
