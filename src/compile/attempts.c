/* SPDX-License-Identifier: Apache-2.0
 *
 * Tries the passes on a prepared module and on clones of it, at lower and lower optimisation levels, until
 * verify-safepoints accepts the result.
 *
 * The first attempt has integral references, because with "ni:1" the optimiser no longer replaces the example loop of
 * late-insertion-slides-2014 by a memset. Afterwards, rewrite-statepoints and verify-safepoints prove that the
 * optimiser's changes to references are harmless. If one of these passes refuses the module, the next attempt starts
 * from the same point:
 *
 *   1. integral references          skipped if the front end's layout is non-integral
 *   2. non-integral references
 *   3. default<O1>                  the last; at -O0 the first attempt is the last
 *
 * Three events repeat an attempt at the same level, each at most once. After an error of a rule "hidden-...", locals
 * that hold references stay in memory. If a diagnostic needs a source line, the attempt runs with debug information. If
 * a pass broke the module, LLVM's verifier runs after each pass. Remarks of rule "fall-back" name the functions that
 * caused the next attempt. The caller gets the diagnostics of the last attempt alone.
 *
 * Needs: a module that `prepare` accepted. Provides: cn_run_attempts(), cn_run_once(). Breaks: as the passes.
 */
#include "compile/pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/data_layout.h"
#include "compile/optimise/prepare.h"

static const char *const attempt_level_names[CN_ATTEMPT_LEVEL_COUNT] = {"integral references",
                                                                        "non-integral references", "default<O1>"};

/* Forward the diagnostics of an attempt, or drop them if `to` is null. */
static void forward_or_drop_diagnostics(struct cairn_diagnostics *held, const struct cairn_compile_options *to)
{
  for (size_t i = 0; to && to->diagnose && i < held->count; i++)
    to->diagnose(to->env, &held->at[i]);
  cairn_diagnostics_free(held);
}

/* When LLVM's verifier runs: before the optimiser and at the end, or after each pass. */
enum verification { VERIFY_NEVER, VERIFY_ENDS, VERIFY_EACH };

/* Run the passes from *order on, with the optimiser at this level. */
static bool run_remaining_passes(struct cn_ctx *ctx, const char *const *order, enum cn_attempt_level level,
                                 enum verification verify)
{
  const char *last = NULL; /* the pass whose output is to be verified before the next one */

  CN_CHECK(level < CN_ATTEMPT_LEVEL_COUNT);
  for (; *order; order++) {
    bool llvm = strcmp(*order, CN_OPTIMISE) == 0;
    if (last && (verify == VERIFY_EACH || (verify == VERIFY_ENDS && llvm)) && !cn_pass_verify_module(ctx, last))
      return false;
    if (!(llvm ? cn_pass_run_optimiser(ctx, level) : cn_pass_run_at_level(ctx, cn_pass_find_row(*order), level)) ||
        ctx->errors)
      return false;
    last = !llvm ? *order : verify == VERIFY_EACH ? "default<O> of LLVM" : NULL;
  }
  return !last || verify == VERIFY_NEVER || cn_pass_verify_module(ctx, last);
}

/* If the front end's layout makes references non-integral ("ni:1", "pu1:64:64"), the attempt with integral references
 * is skipped. */
static enum cn_attempt_level choose_first_level(const struct cn_ctx *prepared)
{
  const char *layout = LLVMGetDataLayoutStr(prepared->module);

  return cn_layout_is_non_integral(prepared->options, layout) ? CN_LEVEL_NON_INTEGRAL : CN_LEVEL_INTEGRAL;
}

bool cn_run_once(struct cn_ctx *ctx, const char *const *order)
{
  struct cn_reference_spaces before = cn_reference_spaces_enter(ctx->options);
  bool ok = run_remaining_passes(ctx, order, choose_first_level(ctx), CN_VERIFY_EACH_PASS ? VERIFY_EACH : VERIFY_NEVER);

  cn_reference_spaces_leave(before);
  return ok;
}

static const struct cairn_diagnostic *first_error(const struct cairn_diagnostics *held)
{
  for (size_t i = 0; i < held->count; i++)
    if (held->at[i].severity == CAIRN_ERROR)
      return &held->at[i];
  return NULL;
}

static bool is_first_error_of_function(const struct cairn_diagnostics *held, size_t which)
{
  const char *function = held->at[which].function;

  if (held->at[which].severity != CAIRN_ERROR)
    return false;
  for (size_t i = 0; i < which; i++) {
    const char *other = held->at[i].function;
    if (held->at[i].severity == CAIRN_ERROR && (function && other ? strcmp(function, other) == 0 : function == other))
      return false;
  }
  return true;
}

/* Make one remark per function with an error. The other functions are optimised again only because they share the
 * module. */
static void remark_fall_back(struct cn_ctx *ctx, const struct cairn_diagnostics *held, const char *with)
{
  const struct cairn_compile_options *options = ctx->options;

  for (size_t i = 0; options->diagnose && i < held->count; i++) {
    struct cairn_diagnostic remark = held->at[i];
    if (!is_first_error_of_function(held, i))
      continue;
    char *message = cn_format("optimised again with %s: %s [%s]", with, remark.message, remark.rule);
    remark.severity = CAIRN_REMARK;
    remark.rule = "fall-back";
    remark.message = message;
    remark.path_count = 0;
    options->diagnose(options->env, &remark);
    free(message);
  }
}

static bool has_internal_error(const struct cairn_diagnostics *held)
{
  const struct cairn_diagnostic *why = first_error(held);

  return why && why->rule && strcmp(why->rule, "internal") == 0;
}

/* If the optimiser hid references in copies or locals, keep the locals of `prepared` in memory for the next attempt.
 * `*kept` ensures that this change happens only once. */
static bool pin_hidden_references(struct cn_ctx *prepared, const struct cairn_diagnostics *held, bool *kept)
{
  const struct cairn_diagnostic *why = first_error(held);

  if (*kept || !why || !why->rule || strncmp(why->rule, "hidden-", 7) != 0)
    return false;
  *kept = true;
  cn_copies_forbid_idioms(prepared);
  cn_hidden_locals_prevent(prepared);
  remark_fall_back(prepared, held, "locals that hold references kept in memory");
  return true;
}

/* True if a diagnostic is more than a remark, so that it needs a source line. */
static bool has_error_or_warning(const struct cairn_diagnostics *held)
{
  for (size_t i = 0; i < held->count; i++)
    if (held->at[i].severity != CAIRN_REMARK)
      return true;
  return false;
}

/* The module of an attempt: a clone, or the prepared module itself. */
static LLVMModuleRef take_module(struct cn_ctx *prepared, bool itself, bool lines)
{
  struct cn_stopwatch watch = cn_stopwatch_start(prepared);
  LLVMModuleRef module = itself ? prepared->module : LLVMCloneModule(prepared->module);

  if (!lines)
    LLVMStripModuleDebugInfo(module);
  cn_stopwatch_stop(prepared, &watch, "clone");
  return module;
}

/* Replace the prepared module, on which an attempt failed. False after an error: the input has changed. */
static bool prepare_again(struct cn_ctx *prepared, const struct cn_preparation *preparation)
{
  prepared->module = preparation->prepare_again(preparation->env);
  if (!prepared->module) {
    cn_error(prepared, NULL, "changed-input", "the input differs from that of the first attempt, or is gone");
    return false;
  }
  prepared->llvm = LLVMGetModuleContext(prepared->module);
  prepared->layout = LLVMGetModuleDataLayout(prepared->module);
  return true;
}

LLVMModuleRef cn_run_attempts(struct cn_ctx *prepared, const char *const *order,
                              const struct cn_preparation *preparation)
{
  const struct cairn_compile_options *options = prepared->options;
  enum cn_attempt_level level = choose_first_level(prepared);
  bool kept = false, ok = false, last = false, each = CN_VERIFY_EACH_PASS;
  bool lines = !options->drop_lines || cn_loops_ask_for_transformation(prepared);
  bool itself = preparation != NULL;
  LLVMModuleRef module = NULL;
  struct cn_reference_spaces before = cn_reference_spaces_enter(options);

  while (!ok && !last) {
    struct cairn_diagnostics held = {0};
    struct cairn_compile_options holding = *options;
    holding.diagnose = cairn_diagnostics_keep;
    holding.env = &held;
    module = take_module(prepared, itself, lines);
    struct cn_ctx ctx = cn_pass_make_context(module, prepared->machine, &holding);
    ok = run_remaining_passes(&ctx, order, level, each ? VERIFY_EACH : VERIFY_ENDS);
    prepared->broken = ctx.broken;
    bool lacks_lines = !lines && has_error_or_warning(&held);
    ok &= !lacks_lines;
    bool gone = !ok && itself && !prepare_again(prepared, preparation);
    itself = false;
    if (gone) {
      last = true;
      forward_or_drop_diagnostics(&held, options);
    } else if (lacks_lines) {
      lines = true;
      forward_or_drop_diagnostics(&held, NULL);
    } else if (!ok && !each && has_internal_error(&held)) {
      each = true; /* finds the pass at fault */
      forward_or_drop_diagnostics(&held, NULL);
    } else if (!ok && options->opt_level > 0 && pin_hidden_references(prepared, &held, &kept)) {
      forward_or_drop_diagnostics(&held, NULL);
    } else {
      last = level + 1 == CN_ATTEMPT_LEVEL_COUNT || options->opt_level == 0;
      if (!ok && !last)
        remark_fall_back(prepared, &held, attempt_level_names[++level]);
      forward_or_drop_diagnostics(&held, ok || last ? options : NULL);
    }
    if (!ok)
      LLVMDisposeModule(module);
  }
  cn_reference_spaces_leave(before);
  CN_CHECK(ok || last);
  return ok ? module : NULL;
}
