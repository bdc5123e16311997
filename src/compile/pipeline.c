/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the passes in order; this file has all ordered lists of passes. Read this file first; passes.def describes each
 * pass in a line. Late insertion comes from late-insertion-slides-2014 ("How to resolve this?"): place-safepoints
 * inserts the first safepoints after the optimiser, which thus keeps its full power.
 *
 *     late insertion             orders    at the levels
 *
 *     module, from a front end             LLVM's verifier runs over it
 *       |
 *     rules                      L E N     all
 *     prepare                    L E N     all; -O0 only promotes locals
 *       |                                  from here on attempts, first on the module, then on clones: attempts.c
 *     LLVM's optimiser           L E N     the one asked for; the verifier runs before it
 *     local-throws               L         -O1 and up
 *     escape                     L E N     -O1 and up
 *     keep-variables             L   N     -O0
 *     restore-references         L E N     all
 *     free-dead-arrays           L   N     all
 *     layouts, allocate          L E N     all
 *     lower-tailcc, route-calls  L E       all
 *     expand-intrinsics          L E       all
 *     check-stores               L E       all
 *     place-safepoints           L E       -O0: polls only; -O1: forms of loops; -O2: small polls too; -O3: more copies
 *       |                                  -Os, -Oz: polls are calls, loops keep their form
 *     insert-, verify-barriers   L E       all
 *     note-stores                L E       all
 *     rewrite-statepoints        L E       all
 *     lower-differences          L E N     all
 *     verify-safepoints          L E       all
 *     lower-tags                 L E N     all
 *     lower-barriers             L E       all
 *     promote-allocation-pointer L E N     all
 *     stabilise-allocas          L E       all
 *     drop-markers               L E N     all
 *     describe-points            L E N     all
 *     lower-transitions          L E N     all
 *     tail-calls                 L E N     all
 *     call-targets               L E       -O3: weighs the common kind of target; -Os, -Oz: stubs test the targets
 *     name-bodies                    N     all
 *     slow-paths, globals        L E N     all
 *     verify-points              L E N     all
 *     check-live-outs            L E N     all
 *       |
 *     module, for LLVM's code generator    LLVM's verifier ran over it
 *
 * Early insertion (E) runs `escape` before `layouts`, and the optimiser after `rewrite-statepoints`; it then strips the
 * statepoints and rewrites the functions again. The list `no_safepoint_passes` (N) is for programs that never collect.
 *
 * Terms: a *step* is a pass in an order. The *unit* is a module before link-time optimisation joins it with other
 * modules: the first two steps run on units, the other steps on the joined module. An *attempt* is one run of the steps
 * on the joined module, at some optimisation *level*. A *port* is the runtime's support of a target.
 *
 * Needs: a module that LLVM's verifier accepts. Provides: cairn_compile_pipeline(), cairn_compile_unit(),
 * cairn_compile_joined(), cairn_compile_describe(), cn_pipeline_run_consuming(). Breaks: all that its passes break.
 */
#include "compile/pipeline.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/optimise/prepare.h"

/* clang-format off */
static const char *const late_safepoint_passes[] = {
    "rules", "prepare",
    CN_OPTIMISE, "local-throws", "escape", "keep-variables",
    "restore-references", "free-dead-arrays", "layouts", "allocate", "lower-tailcc", "route-calls",
    "expand-intrinsics", "check-stores", "place-safepoints", "insert-barriers", "verify-barriers",
    "note-stores", "rewrite-statepoints", "lower-differences", "verify-safepoints", "lower-tags",
    "lower-barriers", "promote-allocation-pointer", "stabilise-allocas", "drop-markers",
    "describe-points", "lower-transitions", "tail-calls", "call-targets", "slow-paths", "globals",
    "verify-points", "check-live-outs", NULL};
static const char *const quick_passes[] = {
    "rules", "prepare",
    CN_OPTIMISE,
    "restore-references", "layouts", "allocate", "lower-tailcc", "route-calls",
    "expand-intrinsics", "check-stores", "place-safepoints", "insert-barriers",
    "note-stores", "rewrite-statepoints", "lower-differences", "verify-safepoints", "lower-tags",
    "lower-barriers", "stabilise-allocas", "drop-markers",
    "describe-points", "lower-transitions", "tail-calls", "call-targets", "slow-paths", "globals",
    "verify-points", "check-live-outs", NULL};
static const char *const early_safepoint_passes[] = {
    "rules", "prepare", "escape", "layouts", "allocate", "lower-tailcc", "route-calls",
    "expand-intrinsics", "check-stores", "place-safepoints", "insert-barriers", "verify-barriers",
    "note-stores", "rewrite-statepoints",
    CN_OPTIMISE,
    "restore-references", "strip-statepoints", "rewrite-statepoints",
    "lower-differences", "verify-safepoints", "lower-tags", "lower-barriers", "promote-allocation-pointer",
    "stabilise-allocas", "drop-markers",
    "describe-points", "lower-transitions", "tail-calls", "call-targets", "slow-paths", "globals",
    "verify-points", "check-live-outs", NULL};
static const char *const no_safepoint_passes[] = {
    "rules", "prepare",
    CN_OPTIMISE, "escape", "keep-variables",
    "restore-references", "free-dead-arrays", "layouts", "allocate",
    "lower-differences", "lower-tags", "promote-allocation-pointer", "drop-markers", "describe-points",
    "lower-transitions", "tail-calls", "name-bodies", "slow-paths", "globals", "verify-points",
    "check-live-outs", NULL};
/* clang-format on */

/* The first passes of each order, which are the same at all levels of attempts. With link-time optimisation these
 * passes run on units. */
enum { SHARED_PASS_COUNT = 2 };

static bool is_quick(const struct cairn_compile_options *options)
{
  return options->tier == CAIRN_TIER_QUICK && options->safepoints == CAIRN_SAFEPOINTS_LATE;
}

static const char *const *pass_order_of(const struct cairn_compile_options *options)
{
  if (is_quick(options))
    return quick_passes;
  switch (options->safepoints) {
  case CAIRN_SAFEPOINTS_EARLY:
    return early_safepoint_passes;
  case CAIRN_SAFEPOINTS_NONE:
    return no_safepoint_passes;
  case CAIRN_SAFEPOINTS_LATE:
    break;
  }
  return late_safepoint_passes;
}

/* Drop the bodies of C library functions that headers offer for inlining: the bodies call other functions, and after
 * place-safepoints LLVM must inline no body without safepoints. */
static bool drop_offered_bodies(struct cn_ctx *ctx)
{
  return ctx->options->safepoints != CAIRN_SAFEPOINTS_EARLY || cn_pass_run_llvm(ctx, "elim-avail-extern");
}

/* Weigh branches by samples, while instructions still have their places in the source. A sample's place is a line and a
 * discriminator within the line. */
static bool weigh_branches_by_samples(struct cn_ctx *ctx)
{
  return !ctx->options->samples || cn_pass_run_llvm(ctx, "function(add-discriminators),sample-profile");
}

/* Drop the debug information of variables and types: only `rules` and `prepare` use it, and later passes would have to
 * preserve it. */
static bool drop_variable_debug_info(struct cn_ctx *ctx)
{
  return !ctx->options->lines_only || cn_pass_run_llvm(ctx, "strip-nonlinetable-debuginfo");
}

/* Refuse tolerated errors: a frame map has only described references, and the collector would miss the others. */
static bool check_tolerated(struct cn_ctx *ctx)
{
  if (ctx->options->tolerated)
    cn_error(ctx, NULL, "tolerated-error",
             "tolerate: the collector of Cairn's runtime finds only references that frame maps describe; only "
             "verify-safepoints, for another runtime, tolerates others");
  return !ctx->options->tolerated;
}

/* Run the passes that are the same at all levels of attempts: `rules`, and the step `prepare`. */
static bool run_shared_passes(struct cn_ctx *ctx, const struct cn_pass_row *prepare)
{
  const struct cn_pass_row *rules = cn_pass_find_row("rules");

  return check_tolerated(ctx) && cn_pass_verify_module(ctx, NULL) && drop_offered_bodies(ctx) &&
         (CN_VERIFY_EACH_PASS ? cn_pass_run_verified(ctx, rules)
                              : cn_pass_run_at_level(ctx, rules, CN_LEVEL_INTEGRAL)) &&
         weigh_branches_by_samples(ctx) && drop_variable_debug_info(ctx) &&
         (is_quick(ctx->options) && !CN_VERIFY_EACH_PASS ? cn_pass_run_at_level(ctx, prepare, CN_LEVEL_INTEGRAL)
                                                         : cn_pass_run_verified(ctx, prepare));
}

/* The passes up to the attempts, for one kind of input. False after an error. */
typedef bool preparing_passes(struct cn_ctx *ctx);

static bool prepare_whole(struct cn_ctx *ctx)
{
  return run_shared_passes(ctx, cn_pass_find_row("prepare"));
}

/* Prepare a module by the same passes as one before, without diagnostics. Null, and the module is gone, if the module
 * differs from that one and fails. */
static LLVMModuleRef prepare_silently(LLVMModuleRef module, const struct cn_ctx *before, preparing_passes *prepare)
{
  struct cairn_compile_options silent = *before->options;

  silent.diagnose = NULL;
  struct cn_ctx ctx = cn_pass_make_context(module, before->machine, &silent);
  if (prepare(&ctx))
    return module;
  LLVMDisposeModule(module);
  return NULL;
}

/* A source of modules, and a context with the machine and options of its first module. */
struct source_in_context {
  const struct cn_module_source *source;
  const struct cn_ctx *ctx;
};

static LLVMModuleRef prepare_module_read_again(void *env)
{
  const struct source_in_context *s = env;
  LLVMModuleRef module = s->source->read_again(s->source->env);

  return module ? prepare_silently(module, s->ctx, prepare_whole) : NULL;
}

enum cairn_status cn_pipeline_run_consuming(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            const struct cairn_compile_options *options,
                                            const struct cn_module_source *source, LLVMModuleRef *result)
{
  struct cn_ctx ctx = cn_pass_make_context(module, machine, options);
  struct source_in_context again = {source, &ctx};
  const struct cn_preparation preparation = {prepare_module_read_again, &again};
  bool once = prepare_whole(&ctx);

  *result =
      once ? cn_run_attempts(&ctx, pass_order_of(ctx.options) + SHARED_PASS_COUNT, source ? &preparation : NULL) : NULL;
  CN_CHECK(source || *result != module); /* the caller disposes of both */
  if (source && ctx.module && *result != ctx.module)
    LLVMDisposeModule(ctx.module);
  return cn_pass_status_of(&ctx, *result);
}

/* Run the passes of the quick tier once, on the module itself, which becomes the result. */
static enum cairn_status run_quickly(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  struct cairn_compile_options quick = *options;

  quick.opt_level = quick.size_level = 0;
  quick.slots = CAIRN_SLOTS_ALWAYS;
  struct cn_ctx ctx = cn_pass_make_context(module, machine, &quick);
  bool ok = run_shared_passes(&ctx, cn_pass_find_row("prepare")) &&
            cn_run_once(&ctx, pass_order_of(&quick) + SHARED_PASS_COUNT);
  *result = ok ? module : NULL;
  if (!ok)
    LLVMDisposeModule(module);
  return cn_pass_status_of(&ctx, ok);
}

/* The caller's module, which stays unchanged, and the passes that prepare copies of it. */
struct caller {
  struct cn_ctx ctx;
  preparing_passes *prepare;
};

static LLVMModuleRef prepare_copy_again(void *env)
{
  const struct caller *caller = env;
  LLVMModuleRef copy = prepare_silently(LLVMCloneModule(caller->ctx.module), &caller->ctx, caller->prepare);

  CN_CHECK(copy != NULL);
  return copy;
}

/* Run the pipeline on a copy of the module, so that the first attempt needs no other copy. */
static enum cairn_status run_on_copy(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, preparing_passes *prepare,
                                     LLVMModuleRef *result)
{
  struct caller caller = {cn_pass_make_context(module, machine, options), prepare};
  struct cn_ctx ctx = cn_pass_make_context(LLVMCloneModule(module), machine, options);
  const struct cn_preparation preparation = {prepare_copy_again, &caller};

  *result = prepare(&ctx) ? cn_run_attempts(&ctx, pass_order_of(ctx.options) + SHARED_PASS_COUNT, &preparation) : NULL;
  if (*result != ctx.module)
    LLVMDisposeModule(ctx.module);
  return cn_pass_status_of(&ctx, *result);
}

enum cairn_status cairn_compile_pipeline(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                         const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  if (options && is_quick(options))
    return run_quickly(LLVMCloneModule(module), machine, options, result);
  return run_on_copy(module, machine, options, prepare_whole, result);
}

/* ---- link-time optimisation: the pipeline in two halves ---- */

enum cairn_status cairn_compile_unit(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  static const struct cn_pass_row prepare = {"prepare", cn_prepare_unit, 0};
  LLVMModuleRef prepared = LLVMCloneModule(module);
  struct cn_ctx ctx = cn_pass_make_context(prepared, machine, options);

  *result = run_shared_passes(&ctx, &prepare) ? prepared : NULL;
  if (*result)
    cn_lto_mark_unit(&ctx);
  else
    LLVMDisposeModule(prepared);
  return cn_pass_status_of(&ctx, *result);
}

static bool prepare_joined(struct cn_ctx *ctx)
{
  static const struct cn_pass_row prepare = {"prepare", cn_prepare_program, 0};

  return check_tolerated(ctx) && cn_pass_verify_module(ctx, NULL) && cn_lto_unmark_program(ctx) &&
         drop_offered_bodies(ctx) && cn_pass_run_verified(ctx, &prepare);
}

enum cairn_status cairn_compile_joined(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                       const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  return run_on_copy(module, machine, options, prepare_joined, result);
}

char *cairn_compile_describe(const struct cairn_compile_options *options, enum cairn_part part)
{
  char *text = cn_strdup("");

  options = options ? options : &cn_pass_default_options;
  const char *const *order = pass_order_of(options);
  CN_CHECK(strcmp(order[0], "rules") == 0 && strcmp(order[SHARED_PASS_COUNT - 1], "prepare") == 0);
  for (size_t i = part == CAIRN_PART_JOINED ? SHARED_PASS_COUNT : 0;
       order[i] && (part != CAIRN_PART_UNIT || i < SHARED_PASS_COUNT); i++) {
    const char *name = strcmp(order[i], CN_OPTIMISE) == 0 ? cn_pass_optimiser_pipeline(options) : order[i];
    char *longer = cn_format("%s%s\n", text, name);
    free(text);
    text = longer;
  }
  return text;
}
