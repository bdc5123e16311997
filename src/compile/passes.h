/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass at a time. Private to src/compile.
 */
#ifndef CN_COMPILE_PASSES_H
#define CN_COMPILE_PASSES_H

#include "compile/core/pass.h"

/* The optimisation levels of attempts, from the highest to the lowest: with integral references, with non-integral
 * references ("ni:1"), and default<O1>. */
enum cn_attempt_level { CN_LEVEL_INTEGRAL, CN_LEVEL_NON_INTEGRAL, CN_LEVEL_O1, CN_ATTEMPT_LEVEL_COUNT };

/* A row of passes.def. */
struct cn_pass_row {
  const char *name;
  cn_pass_function *run;
  unsigned properties;
};

/* The pass with name `name`, or null. */
const struct cn_pass_row *cn_pass_find_row(const char *name);

/* The options that apply if the caller passes null. */
extern const struct cairn_compile_options cn_pass_default_options;
struct cn_ctx cn_pass_make_context(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct cairn_compile_options *options);
enum cairn_status cn_pass_status_of(const struct cn_ctx *ctx, bool ok);

/* Each of the following functions returns true if it succeeds, or false after an error. */
bool cn_pass_run_at_level(struct cn_ctx *ctx, const struct cn_pass_row *step, enum cn_attempt_level level);
bool cn_pass_run_verified(struct cn_ctx *ctx, const struct cn_pass_row *step);
/* Run LLVM's verifier after the pass `pass`, or, if this is null, on the input. */
bool cn_pass_verify_module(struct cn_ctx *ctx, const char *pass);
/* Run the passes `names` of LLVM with LLVM's default options. */
bool cn_pass_run_llvm(struct cn_ctx *ctx, const char *names);
/* Run LLVM's optimiser at `level`, or at the lower level of the options. */
bool cn_pass_run_optimiser(struct cn_ctx *ctx, enum cn_attempt_level level);
/* LLVM's name of the pipeline for `options`. */
const char *cn_pass_optimiser_pipeline(const struct cairn_compile_options *options);

/* ---- times of passes, for the caller's timer (stopwatch.c) ---- */

/* The clocks at the start of a pass, or zero without a timer. */
struct cn_stopwatch {
  double wall, user, system;
};

struct cn_stopwatch cn_stopwatch_start(const struct cn_ctx *ctx);
/* Report the time since the start to the caller's timer, if there is one. */
void cn_stopwatch_stop(const struct cn_ctx *ctx, const struct cn_stopwatch *since, const char *pass);

#endif
