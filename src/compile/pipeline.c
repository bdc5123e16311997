/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the passes in order: the ordered list of passes stands here, on one page. Read this file first.
 *
 * The lists `late`, `early` and `none` below are the three orders. Late insertion is that of late-insertion-slides-2014
 * ("How to resolve this?"): safepoints first appear in place-safepoints, so the optimiser keeps its full power. LLVM's
 * verifier runs over the input, over the optimiser's input and over the result; in builds with CAIRN_VERIFY_EACH after
 * each of our passes. A module that one of them broke is our defect: the passes run again, each followed by the
 * verifier, and the error names the pass.
 *
 * The optimiser runs with integral pointers: with "ni:1" it stops making a memset of the example loop of
 * late-insertion-slides-2014. rewrite-statepoints and verify-safepoints prove afterwards that its changes to references
 * are harmless. If they refuse, the module is optimised again from the same point, at a lower optimisation level.
 *
 * Needs: a module that LLVM's verifier accepts. Provides: cairn_compile_pipeline(). Breaks: as its passes.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/convention.h"
#include "compile/analysis/data_layout.h"
#include "compile/core/pass.h"
#include "compile/core/stopwatch.h"
#include "compile/lto_unit.h"
#include "compile/optimise/prepare.h"
#include "compile/pipeline.h"

/* Passes whose code calls the runtime are for the runtime's ports; the others for any target. */
enum target { PORTED_TARGET, ANY_TARGET };

static const struct step {
  const char *name;
  cn_pass *run;
  const char *help;
  enum target target;
} passes[] = {
    {"rules", cn_rules, "check the source rules, on unoptimised IR", ANY_TARGET},
    {"prepare", cn_prepare, "mark managed functions, make pointer differences opaque, promote locals", ANY_TARGET},
    {"escape", cn_escape, "make locals of objects that nobody else knows; allocate others only where they escape",
     ANY_TARGET},
    {"restore-references", cn_restore_references, "make references of what the optimiser copies as integers",
     ANY_TARGET},
    {"give-back", cn_give_back, "give arrays back that die where they were made", PORTED_TARGET},
    {"layouts", cn_layouts, "turn the layout statics of allocation calls into collector layouts", PORTED_TARGET},
    {"count-allocations", cn_count_allocations, "tell how many allocation calls each managed function has", ANY_TARGET},
    {"allocate", cn_allocate, "expand allocation calls into inline bump allocation", PORTED_TARGET},
    {"lower-tailcc", cn_lower_tailcc,
     "give local functions of tailcc and swifttailcc the C convention where tail calls stay some", PORTED_TARGET},
    {"route-calls", cn_route_calls, "route calls of names that may be native code through stubs", PORTED_TARGET},
    {"expand-intrinsics", cn_expand_intrinsics,
     "make single stores of intrinsics that store references as no barrier or check has it", ANY_TARGET},
    {"check-stores", cn_check_stores, "check at run time that references are stored where they are found",
     PORTED_TARGET},
    {"place-safepoints", cn_place_safepoints, "insert safepoint polls at entries and loop back edges", PORTED_TARGET},
    {"insert-barriers", cn_insert_barriers, "insert the collector's barriers at loads and stores of references",
     ANY_TARGET},
    {"note-stores", cn_note_stores,
     "tell the runtime of each store of references, for CAIRN_VERIFY=stores (--note-stores)", PORTED_TARGET},
    {"rewrite-statepoints", cn_rewrite_statepoints, "wrap parse points in gc.statepoint, with relocations", ANY_TARGET},
    {"carry-buffer", cn_carry_buffer, "keep the allocation pointer in a register from one allocation to the next",
     PORTED_TARGET},
    {"steady-locals", cn_steady_locals, "keep the code generator from describing locals by what it computes in loops",
     ANY_TARGET},
    {"inline-statepoints", cn_inline_statepoints, "inline calls in statepoints: strip, LLVM's inliner, rewrite again",
     ANY_TARGET},
    {"strip-statepoints", cn_strip_statepoints, "turn statepoints back into plain calls", ANY_TARGET},
    {"lower-differences", cn_lower_differences, "turn opaque pointer differences into integer arithmetic", ANY_TARGET},
    {"lower-tags", cn_lower_tags, "turn the calls that make and read immediates into arithmetic", ANY_TARGET},
    {"verify-safepoints", cn_verify_safepoints, "check that no reference is used after it may have moved", ANY_TARGET},
    {"verify-unmanaged", cn_verify_unmanaged,
     "say which functions verify-safepoints does not look at, and check that they keep no reference", ANY_TARGET},
    {"verify-barriers", cn_verify_barriers, "check that each load or store of a reference that needs a barrier has one",
     ANY_TARGET},
    {"lower-barriers", cn_lower_barriers, "put the code of the barriers in line", PORTED_TARGET},
    {"drop-markers", cn_drop_markers, "delete what marks spans and regions without safepoints", ANY_TARGET},
    {"lower-transitions", cn_lower_transitions,
     "put a module's own code around its calls with a bundle \"gc-transition\"", ANY_TARGET},
    {"tail-calls", cn_tail_pass, "make tail calls of the statepoints that want to be some", PORTED_TARGET},
    {"call-targets", cn_call_targets, "tell managed from native code at calls through pointers", PORTED_TARGET},
    {"name-bodies", cn_name_bodies, "name what other units call where functions have no entries", PORTED_TARGET},
    {"transitions", cn_transitions, "route-calls and call-targets, for code whose statepoints are made elsewhere",
     PORTED_TARGET},
    {"slow-paths", cn_slow_paths, "call the runtime's stubs through hidden thunks", PORTED_TARGET},
    {"globals", cn_globals, "register globals that hold references, and the image", PORTED_TARGET},
};

#define OPTIMISE "optimise"

/* clang-format off */
static const char *const late[] = {
    "rules", "prepare",
    OPTIMISE, "escape",
    "restore-references", "give-back", "layouts", "allocate", "lower-tailcc", "route-calls",
    "expand-intrinsics", "check-stores", "place-safepoints", "insert-barriers", "verify-barriers",
    "note-stores", "rewrite-statepoints", "lower-differences", "verify-safepoints", "lower-tags",
    "lower-barriers", "carry-buffer", "steady-locals", "drop-markers",
    "lower-transitions", "tail-calls", "call-targets", "slow-paths", "globals", NULL};
static const char *const early[] = {
    "rules", "prepare", "escape", "layouts", "allocate", "lower-tailcc", "route-calls",
    "expand-intrinsics", "check-stores", "place-safepoints", "insert-barriers", "verify-barriers",
    "note-stores", "rewrite-statepoints",
    OPTIMISE,
    "restore-references", "strip-statepoints", "rewrite-statepoints",
    "lower-differences", "verify-safepoints", "lower-tags", "lower-barriers", "carry-buffer",
    "steady-locals", "drop-markers",
    "lower-transitions", "tail-calls", "call-targets", "slow-paths", "globals", NULL};
static const char *const none[] = {
    "rules", "prepare",
    OPTIMISE, "escape",
    "restore-references", "give-back", "layouts", "allocate",
    "lower-differences", "lower-tags", "carry-buffer", "drop-markers", "lower-transitions", "tail-calls",
    "name-bodies", "slow-paths", "globals", NULL};
/* clang-format on */

/* The first passes of each order: the same for all optimisation levels of attempts. With link-time optimisation they
 * are those of the unit. */
enum { ONCE = 2 };

static const char *const *order_of(const struct cairn_compile_options *options)
{
  switch (options->safepoints) {
  case CAIRN_SAFEPOINTS_EARLY:
    return early;
  case CAIRN_SAFEPOINTS_NONE:
    return none;
  case CAIRN_SAFEPOINTS_LATE:
    break;
  }
  return late;
}

/* The optimisation levels of attempts, from the highest to the lowest. */
enum freedom { INTEGRAL, NON_INTEGRAL, LEVEL_ONE, FREEDOMS };

static const char *const freedom_names[FREEDOMS] = {"integral references", "non-integral references", "default<O1>"};

static const struct step *find_step(const char *name)
{
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
    if (strcmp(passes[i].name, name) == 0)
      return &passes[i];
  return NULL;
}

/* True if LLVM's verifier runs after each pass from the start. */
#ifdef CAIRN_VERIFY_EACH
enum { VERIFY_EACH = true };
#else
enum { VERIFY_EACH = false };
#endif

/* The options of callers who give null. */
static const struct cairn_compile_options defaults;

static struct cn_ctx context_for(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                 const struct cairn_compile_options *options)
{
  return (struct cn_ctx){.module = module,
                         .llvm = LLVMGetModuleContext(module),
                         .layout = LLVMGetModuleDataLayout(module),
                         .machine = machine,
                         .options = options ? options : &defaults};
}

static enum cairn_status status_of(const struct cn_ctx *ctx, bool ok)
{
  return ok ? CAIRN_OK : ctx->broken ? CAIRN_E_BROKEN : CAIRN_E_REFUSED;
}

static bool verify_module(struct cn_ctx *ctx, const char *pass)
{
  char *message = NULL;
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  bool broken = LLVMVerifyModule(ctx->module, LLVMReturnStatusAction, &message);

  cn_stopwatch_stop(ctx, &watch, "verify");
  if (broken)
    cn_error(ctx, NULL, "internal", "pass %s left a broken module: %s", pass, message);
  LLVMDisposeMessage(message);
  return !broken;
}

static bool run_step(struct cn_ctx *ctx, const struct step *step)
{
  CN_CHECK(step); /* the orders name passes of the table */
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  struct cn_reference_spaces before = cn_reference_spaces_enter(ctx->options);
  bool ok = step->run(ctx) && ctx->errors == 0;

  if (ok && step->run == cn_verify_safepoints)
    cn_summarise(ctx);
  cn_reference_spaces_leave(before);
  cn_stopwatch_stop(ctx, &watch, step->name);
  return ok;
}

static bool run_ours(struct cn_ctx *ctx, const struct step *step)
{
  return run_step(ctx, step) && verify_module(ctx, step->name);
}

static bool run_llvm(struct cn_ctx *ctx, const char *names, LLVMPassBuilderOptionsRef builder)
{
  struct cn_stopwatch watch = cn_stopwatch_start(ctx);
  LLVMErrorRef error = LLVMRunPasses(ctx->module, names, ctx->machine, builder);

  cn_stopwatch_stop(ctx, &watch, names);
  return cn_llvm_ok(ctx, NULL, error);
}

/* Run passes of LLVM with its default options. */
static bool run_llvm_plainly(struct cn_ctx *ctx, const char *names)
{
  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();
  bool ok = run_llvm(ctx, names, builder);

  LLVMDisposePassBuilderOptions(builder);
  return ok;
}

/* Let the module's data layout say that references are integral, or non-integral. */
static void set_integral(struct cn_ctx *ctx, bool integral)
{
  const char *old = LLVMGetDataLayoutStr(ctx->module);
  char *layout = integral ? cn_layout_integral(ctx->options, old) : cn_layout_non_integral(ctx->options, old);

  if (strcmp(old, layout) != 0)
    LLVMSetDataLayout(ctx->module, layout);
  free(layout);
  CN_ASSERT(integral != cn_layout_is_non_integral(ctx->options, LLVMGetDataLayoutStr(ctx->module)));
}

static const char *default_pipeline(const struct cairn_compile_options *options)
{
  static const char *const sizes[] = {NULL, "default<Os>", "default<Oz>"};
  static const char *const levels[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};

  CN_CHECK(options->opt_level <= 3 && options->size_level <= 2);
  return options->size_level ? sizes[options->size_level] : levels[options->opt_level];
}

static bool optimise(struct cn_ctx *ctx, enum freedom freedom)
{
  const struct cairn_compile_options *o = ctx->options;
  LLVMPassBuilderOptionsRef builder = LLVMCreatePassBuilderOptions();

  LLVMPassBuilderOptionsSetLoopVectorization(builder, freedom < LEVEL_ONE && o->opt_level > 1);
  LLVMPassBuilderOptionsSetSLPVectorization(builder, freedom < LEVEL_ONE && o->opt_level > 1);
  set_integral(ctx, freedom == INTEGRAL);
  /* Level one leaves vectors alone, and has no pass that correlates conditions: after early insertion such passes may
   * use a reference's old value on a path where it is null, beyond the reach of verify. */
  bool ok = run_llvm(ctx, freedom < LEVEL_ONE ? default_pipeline(o) : "default<O1>", builder);
  set_integral(ctx, true);
  LLVMDisposePassBuilderOptions(builder);
  return ok;
}

/* Run the step of that name. The level applies to the optimiser, and to the step that lets LLVM promote locals. */
static bool run_named(struct cn_ctx *ctx, const char *name, enum freedom freedom)
{
  const struct step *step = find_step(name);

  if (strcmp(name, OPTIMISE) == 0)
    return optimise(ctx, freedom);
  if (step->run != cn_escape)
    return run_step(ctx, step);
  set_integral(ctx, freedom == INTEGRAL);
  bool ok = run_step(ctx, step);
  set_integral(ctx, true);
  return ok;
}

/* Hand on the diagnostics of an attempt, or drop them if `to` is null. */
static void release(struct cairn_diagnostics *held, const struct cairn_compile_options *to)
{
  for (size_t i = 0; to && to->diagnose && i < held->count; i++)
    to->diagnose(to->env, &held->at[i]);
  cairn_diagnostics_free(held);
}

/* Run the passes from *order on, the optimiser at this level. LLVM's verifier checks the module after `each`, or before
 * the optimiser and at the end. */
static bool run_from(struct cn_ctx *ctx, const char *const *order, enum freedom freedom, bool each)
{
  const char *last = NULL; /* the last of our passes, if its output is unverified so far */

  CN_CHECK(freedom < FREEDOMS);
  for (; *order; order++) {
    bool llvm = strcmp(*order, OPTIMISE) == 0;
    if (last && (llvm || each) && !verify_module(ctx, last))
      return false;
    if (!run_named(ctx, *order, freedom) || ctx->errors)
      return false;
    last = llvm ? NULL : *order;
  }
  return !last || verify_module(ctx, last);
}

static const struct cairn_diagnostic *first_error(const struct cairn_diagnostics *held)
{
  for (size_t i = 0; i < held->count; i++)
    if (held->at[i].severity == CAIRN_ERROR)
      return &held->at[i];
  return NULL;
}

/* True if the error is the first of its function, or the first of the module. */
static bool is_first_of_function(const struct cairn_diagnostics *held, size_t which)
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

/* Make one remark per function that is the reason. The other functions are optimised again only because they share its
 * module. */
static void remark_fall_back(struct cn_ctx *ctx, const struct cairn_diagnostics *held, const char *with)
{
  const struct cairn_compile_options *options = ctx->options;

  for (size_t i = 0; options->diagnose && i < held->count; i++) {
    struct cairn_diagnostic remark = held->at[i];
    if (!is_first_of_function(held, i))
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

static bool is_broken(const struct cairn_diagnostics *held)
{
  const struct cairn_diagnostic *why = first_error(held);

  return why && why->rule && strcmp(why->rule, "internal") == 0;
}

/* If the optimiser hid references in copies or locals, pin these in `prepared` for the next attempt, but only once:
 * `*kept` remembers it. */
static bool keep_locals(struct cn_ctx *prepared, const struct cairn_diagnostics *held, bool *kept)
{
  const struct cairn_diagnostic *why = first_error(held);

  if (*kept || !why || !why->rule || strncmp(why->rule, "hidden-", 7) != 0)
    return false;
  *kept = true;
  cn_copies_forbid_idioms(prepared);
  cn_hidden_escape(prepared);
  remark_fall_back(prepared, held, "locals that hold references kept in memory");
  return true;
}

/* A front end whose layout says "ni:1", or "pu1:64:64" and the like, wants non-integral references, so the attempt with
 * integral ones is skipped. */
static enum freedom first_freedom(const struct cn_ctx *prepared)
{
  const char *layout = LLVMGetDataLayoutStr(prepared->module);

  return cn_layout_is_non_integral(prepared->options, layout) ? NON_INTEGRAL : INTEGRAL;
}

/* True if a diagnostic needs a source line: it is more than a remark. */
static bool says_something(const struct cairn_diagnostics *held)
{
  for (size_t i = 0; i < held->count; i++)
    if (held->at[i].severity != CAIRN_REMARK)
      return true;
  return false;
}

static LLVMModuleRef clone_module(struct cn_ctx *prepared, bool lines)
{
  struct cn_stopwatch watch = cn_stopwatch_start(prepared);
  LLVMModuleRef clone = LLVMCloneModule(prepared->module);

  if (!lines)
    LLVMStripModuleDebugInfo(clone);
  cn_stopwatch_stop(prepared, &watch, "clone");
  return clone;
}

/* Try the rest of the pipeline on clones of `prepared`, at lower and lower optimisation levels. */
static LLVMModuleRef attempt_all(struct cn_ctx *prepared, const char *const *order)
{
  const struct cairn_compile_options *options = prepared->options;
  enum freedom freedom = first_freedom(prepared);
  bool kept = false, ok = false, last = false, each = VERIFY_EACH;
  bool lines = !options->drop_lines || cn_loops_have_wishes(prepared);
  LLVMModuleRef clone = NULL;
  struct cn_reference_spaces before = cn_reference_spaces_enter(options);

  while (!ok && !last) {
    struct cairn_diagnostics held = {0};
    struct cairn_compile_options holding = *options;
    holding.diagnose = cairn_diagnostics_keep;
    holding.env = &held;
    clone = clone_module(prepared, lines);
    struct cn_ctx ctx = context_for(clone, prepared->machine, &holding);
    ok = run_from(&ctx, order, freedom, each);
    prepared->broken = ctx.broken;
    if (!lines && says_something(&held)) {
      lines = true;
      ok = false;
      release(&held, NULL);
    } else if (!ok && !each && is_broken(&held)) {
      each = true; /* to find the pass at fault */
      release(&held, NULL);
    } else if (!ok && options->opt_level > 0 && keep_locals(prepared, &held, &kept)) {
      release(&held, NULL);
    } else {
      last = freedom + 1 == FREEDOMS || options->opt_level == 0;
      if (!ok && !last)
        remark_fall_back(prepared, &held, freedom_names[++freedom]);
      release(&held, ok || last ? options : NULL);
    }
    if (!ok)
      LLVMDisposeModule(clone);
  }
  cn_reference_spaces_leave(before);
  CN_CHECK(ok || last);
  return ok ? clone : NULL;
}

/* Drop the bodies of C library functions that headers offer for inlining: they call other functions, and once
 * safepoints are in place every inlined body must have them, too. */
static bool drop_offers(struct cn_ctx *ctx)
{
  return ctx->options->safepoints != CAIRN_SAFEPOINTS_EARLY || run_llvm_plainly(ctx, "elim-avail-extern");
}

/* Weigh branches by samples, while each instruction still stands where the source has it. The places of samples are
 * lines and, within a line, discriminators. */
static bool weigh(struct cn_ctx *ctx)
{
  return !ctx->options->samples || run_llvm_plainly(ctx, "function(add-discriminators),sample-profile");
}

/* Drop the descriptions of variables and types: only the rules need them, and every later pass would carry them along.
 */
static bool drop_variables(struct cn_ctx *ctx)
{
  return !ctx->options->lines_only || run_llvm_plainly(ctx, "strip-nonlinetable-debuginfo");
}

/* Run once the passes that are the same for all optimisation levels: `rules`, and this step of `prepare`. */
static bool run_once(struct cn_ctx *ctx, const struct step *prepare)
{
  const struct step *rules = find_step("rules");

  return verify_module(ctx, "(input)") && drop_offers(ctx) &&
         (VERIFY_EACH ? run_ours(ctx, rules) : run_step(ctx, rules)) && weigh(ctx) && drop_variables(ctx) &&
         run_ours(ctx, prepare);
}

enum cairn_status cn_pipeline_take(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                   const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  struct cn_ctx ctx = context_for(module, machine, options);
  bool once = run_once(&ctx, find_step("prepare"));

  *result = once ? attempt_all(&ctx, order_of(ctx.options) + ONCE) : NULL;
  CN_CHECK(*result != module); /* the caller disposes of both */
  return status_of(&ctx, *result);
}

enum cairn_status cairn_compile_pipeline(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                         const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  LLVMModuleRef prepared = LLVMCloneModule(module);
  enum cairn_status status = cn_pipeline_take(prepared, machine, options, result);

  LLVMDisposeModule(prepared);
  return status;
}

/* ---- link-time optimisation: the pipeline in two halves ---- */

enum cairn_status cairn_compile_unit(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  static const struct step prepare = {"prepare", cn_prepare_unit, NULL, ANY_TARGET};
  LLVMModuleRef prepared = LLVMCloneModule(module);
  struct cn_ctx ctx = context_for(prepared, machine, options);

  *result = run_once(&ctx, &prepare) ? prepared : NULL;
  if (*result)
    cn_lto_mark(&ctx);
  else
    LLVMDisposeModule(prepared);
  return status_of(&ctx, *result);
}

enum cairn_status cairn_compile_joined(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                       const struct cairn_compile_options *options, LLVMModuleRef *result)
{
  static const struct step prepare = {"prepare", cn_prepare_program, NULL, ANY_TARGET};
  LLVMModuleRef prepared = LLVMCloneModule(module);
  struct cn_ctx ctx = context_for(prepared, machine, options);

  *result = NULL;
  if (verify_module(&ctx, "(input)") && cn_lto_unmark(&ctx) && drop_offers(&ctx) && run_ours(&ctx, &prepare))
    *result = attempt_all(&ctx, order_of(ctx.options) + ONCE);
  LLVMDisposeModule(prepared);
  return status_of(&ctx, *result);
}

char *cairn_compile_describe(const struct cairn_compile_options *options, enum cairn_part part)
{
  char *text = cn_strdup("");

  options = options ? options : &defaults;
  const char *const *order = order_of(options);
  CN_CHECK(strcmp(order[0], "rules") == 0 && strcmp(order[ONCE - 1], "prepare") == 0);
  for (size_t i = part == CAIRN_PART_JOINED ? ONCE : 0; order[i] && (part != CAIRN_PART_UNIT || i < ONCE); i++) {
    const char *name = strcmp(order[i], OPTIMISE) == 0 ? default_pipeline(options) : order[i];
    char *longer = cn_format("%s%s\n", text, name);
    free(text);
    text = longer;
  }
  return text;
}

/* True if the step is for the module's target. A module that lacks a triple is for the host. */
static bool fits_target(struct cn_ctx *ctx, const struct step *step)
{
  const char *triple = LLVMGetTarget(ctx->module);

  if (step->target == ANY_TARGET || !*triple || cn_convention_has_port(triple))
    return true;
  cn_error(ctx, NULL, "target", "pass %s makes code that calls the runtime, which has no port for '%s' yet (%s only)",
           step->name, triple, cn_convention_target);
  return false;
}

enum cairn_status cairn_compile_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                                     const struct cairn_compile_options *options)
{
  struct cn_ctx ctx = context_for(module, machine, options);
  const struct step *step = find_step(name);

  return status_of(&ctx, step ? fits_target(&ctx, step) && run_ours(&ctx, step) : run_llvm_plainly(&ctx, name));
}

const char *const *cairn_compile_pass_names(void)
{
  static const char *names[2 * sizeof passes / sizeof *passes + 1];

  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
    names[2 * i] = passes[i].name;
    names[2 * i + 1] = passes[i].help;
  }
  return names;
}
