/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the table of passes, and runs one pass: a pass of Cairn, which is a row of passes.def, or a pipeline of LLVM.
 * LLVM's verifier runs after the pass if the caller asks for it. If the verifier refuses the output of a pass of Cairn,
 * the error has the rule "internal" and names the pass.
 *
 * Needs: a module that LLVM's verifier accepts. Provides: cairn_compile_pass(), cairn_compile_pass_names() and the
 * functions of passes.h. Breaks: all that the pass breaks.
 */
#include "compile/passes.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/data_layout.h"
#include "compile/core/convention.h"

/* The properties of a pass, which passes.def describes. */
enum { PORTED = 1, OPTIMISES = 2, SUMMARISED = 4 };

static const struct cn_pass_row pass_rows[] = {
#define CN_PASS(name, function, room, properties, help) {name, function, properties},
#include "compile/core/passes.def"
#undef CN_PASS
};

const struct cn_pass_row *cn_pass_find_row(const char *name)
{
  for (size_t i = 0; i < sizeof pass_rows / sizeof *pass_rows; i++)
    if (strcmp(pass_rows[i].name, name) == 0)
      return &pass_rows[i];
  return NULL;
}

const struct cairn_compile_options cn_pass_default_options;

struct cn_ctx cn_pass_make_context(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct cairn_compile_options *options)
{
  return (struct cn_ctx){.module = module,
                         .llvm = LLVMGetModuleContext(module),
                         .layout = LLVMGetModuleDataLayout(module),
                         .machine = machine,
                         .options = options ? options : &cn_pass_default_options};
}

enum cairn_status cn_pass_status_of(const struct cn_ctx *ctx, bool ok)
{
  return ok ? CAIRN_OK : ctx->broken ? CAIRN_E_BROKEN : CAIRN_E_REFUSED;
}

bool cn_pass_verify_module(struct cn_ctx *ctx, const char *pass)
{
  char *message = NULL;
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  bool broken = LLVMVerifyModule(ctx->module, LLVMReturnStatusAction, &message);

  cn_stopwatch_stop(ctx, &watch, "verify");
  if (broken && !pass)
    cn_error(ctx, NULL, "invalid-ir", "the module is not valid IR: %s", message);
  else if (broken)
    cn_error(ctx, NULL, "internal", "pass %s left a broken module: %s", pass, message);
  LLVMDisposeMessage(message);
  return !broken;
}

static void set_integral_layout(struct cn_ctx *ctx, bool integral)
{
  const char *old = LLVMGetDataLayoutStr(ctx->module);
  char *layout = integral ? cn_layout_make_integral(ctx->options, old) : cn_layout_make_non_integral(ctx->options, old);

  if (strcmp(old, layout) != 0)
    LLVMSetDataLayout(ctx->module, layout);
  free(layout);
  CN_ASSERT(integral != cn_layout_is_non_integral(ctx->options, LLVMGetDataLayoutStr(ctx->module)));
}

static bool run_llvm_passes(struct cn_ctx *ctx, const char *names, LLVMPassBuilderOptionsRef builder)
{
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  LLVMErrorRef error = LLVMRunPasses(ctx->module, names, ctx->machine, builder);

  cn_stopwatch_stop(ctx, &watch, names);
  return cn_check_llvm_error(ctx, NULL, error);
}

bool cn_pass_run_llvm(struct cn_ctx *ctx, const char *names)
{
  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();
  bool ok = run_llvm_passes(ctx, names, builder);

  LLVMDisposePassBuilderOptions(builder);
  return ok;
}

static bool run_pass(struct cn_ctx *ctx, const struct cn_pass_row *step)
{
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  struct cn_reference_spaces before = cn_reference_spaces_enter(ctx->options);
  bool ok = step->run(ctx) && ctx->errors == 0;

  if (ok && step->properties & SUMMARISED)
    cn_remark_on_functions(ctx);
  cn_reference_spaces_leave(before);
  cn_stopwatch_stop(ctx, &watch, step->name);
  return ok;
}

bool cn_pass_run_at_level(struct cn_ctx *ctx, const struct cn_pass_row *step, enum cn_attempt_level level)
{
  CN_CHECK(step && level < CN_ATTEMPT_LEVEL_COUNT); /* passes.def has every pass of the orders */
  if (!(step->properties & OPTIMISES))
    return run_pass(ctx, step);
  set_integral_layout(ctx, level == CN_LEVEL_INTEGRAL);
  bool ok = run_pass(ctx, step);
  set_integral_layout(ctx, true);
  return ok;
}

bool cn_pass_run_verified(struct cn_ctx *ctx, const struct cn_pass_row *step)
{
  return run_pass(ctx, step) && cn_pass_verify_module(ctx, step->name);
}

const char *cn_pass_optimiser_pipeline(const struct cairn_compile_options *options)
{
  static const char *const sizes[] = {NULL, "default<Os>", "default<Oz>"};
  static const char *const levels[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};

  CN_CHECK(options->opt_level <= 3 && options->size_level <= 2);
  return options->size_level ? sizes[options->size_level] : levels[options->opt_level];
}

bool cn_pass_run_optimiser(struct cn_ctx *ctx, enum cn_attempt_level level)
{
  const struct cairn_compile_options *o = ctx->options;
  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();

  LLVMPassBuilderOptionsSetLoopVectorization(builder, level < CN_LEVEL_O1 && o->opt_level > 1);
  LLVMPassBuilderOptionsSetSLPVectorization(builder, level < CN_LEVEL_O1 && o->opt_level > 1);
  set_integral_layout(ctx, level == CN_LEVEL_INTEGRAL);
  /* Level one runs neither vectorisers nor passes that correlate conditions. After early insertion a pass that
   * correlates conditions may use a reference's old value on a path that the program takes only if the value is null,
   * and verify-safepoints would miss the use. */
  bool ok = run_llvm_passes(ctx, level < CN_LEVEL_O1 ? cn_pass_optimiser_pipeline(o) : "default<O1>", builder);
  set_integral_layout(ctx, true);
  LLVMDisposePassBuilderOptions(builder);
  return ok;
}

/* True if the pass supports the module's target. A module without a triple is for the host. */
static bool fits_target(struct cn_ctx *ctx, const struct cn_pass_row *step)
{
  const char *triple = LLVMGetTarget(ctx->module);

  if (!(step->properties & PORTED) || !*triple || cn_convention_find_port(triple))
    return true;
  char *targets = cn_convention_format_targets();
  cn_error(ctx, NULL, "target", "pass %s makes code that calls the runtime, which has no port for '%s' yet (%s only)",
           step->name, triple, targets);
  free(targets);
  return false;
}

enum cairn_status cairn_compile_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                                     const struct cairn_compile_options *options)
{
  struct cn_ctx ctx = cn_pass_make_context(module, machine, options);
  const struct cn_pass_row *step = cn_pass_find_row(name);

  return cn_pass_status_of(&ctx, step ? fits_target(&ctx, step) && cn_pass_run_verified(&ctx, step)
                                      : cn_pass_run_llvm(&ctx, name));
}

const char *const *cairn_compile_pass_names(void)
{
  static const char *const names[] = {
#define CN_PASS(name, function, room, properties, help) name, help,
#include "compile/core/passes.def"
#undef CN_PASS
      NULL};

  return names;
}
