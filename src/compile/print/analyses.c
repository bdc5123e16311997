/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the analyses that cairn_compile_print() prints for tools and tests, by name. Needs: any module. Provides:
 * cairn_compile_print(), which returns the analysis as text; cairn_compile_analysis_names(). Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/print/print.h"
#include "compile/rewrite/values/refs.h"

static void print_liveness(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  (void)ctx;
  cn_liveness_print(function, out);
}

static void print_bases(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  (void)ctx;
  cn_bases_print(function, out);
}

/* An analysis prints its facts either per managed function or for the module. */
static const struct analysis {
  const char *name;
  cn_function_printer *function;
  cn_module_printer *module;
  const char *help;
} analyses[] = {
    {"cfg", cn_print_cfg, NULL, "blocks: predecessors, immediate dominator, loop"},
    {"loops", cn_print_loops, NULL, "natural loops: depth, latch, size, trip count, work"},
    {"frequency", cn_print_frequency, NULL, "blocks: how often a call of the function enters them"},
    {"calls", cn_print_calls, NULL, "calls: leaf or parse point, why, where in the source"},
    {"callgraph", NULL, cn_print_callgraph, "managed functions, callees first: whom they call"},
    {"managed", NULL, cn_print_managed, "definitions: managed or not"},
    {"cost", cn_print_cost, NULL, "instructions: units of work"},
    {"paths", cn_print_paths, NULL, "work between safepoints, and cycles without one"},
    {"polls", cn_print_polls, NULL, "where a thread comes to a safepoint"},
    {"allocas", cn_print_allocas, NULL, "locals in memory: which words hold references"},
    {"promises", cn_print_promises, NULL, "accesses: promises that moving objects makes false"},
    {"layouts", NULL, cn_print_layouts, "layout constants: where objects hold references"},
    {"liveness", print_liveness, NULL, "parse points: live references"},
    {"bases", print_bases, NULL, "references over parse points: their bases"},
};

enum { ANALYSIS_COUNT = sizeof analyses / sizeof *analyses };

static void print_managed_functions(struct cn_ctx *ctx, const struct analysis *analysis, FILE *out)
{
  size_t length;

  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    fprintf(out, "%s of @%s:\n", analysis->name, LLVMGetValueName2(f, &length));
    analysis->function(ctx, f, out);
  }
}

static char *print_analysis(struct cn_ctx *ctx, const struct analysis *analysis)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);

  CN_CHECK(out && !analysis->module != !analysis->function);
  if (analysis->module)
    analysis->module(ctx, out);
  else
    print_managed_functions(ctx, analysis, out);
  fclose(out);
  return text;
}

enum cairn_status cairn_compile_print(LLVMModuleRef module, const char *analysis,
                                      const struct cairn_compile_options *options, char **text)
{
  static const struct cairn_compile_options defaults;
  struct cn_ctx ctx = {.module = module,
                       .llvm = LLVMGetModuleContext(module),
                       .layout = LLVMGetModuleDataLayout(module),
                       .options = options ? options : &defaults};
  struct cn_reference_spaces before = cn_reference_spaces_enter(ctx.options);

  *text = NULL;
  for (size_t i = 0; !*text && i < ANALYSIS_COUNT; i++)
    if (strcmp(analyses[i].name, analysis) == 0)
      *text = print_analysis(&ctx, &analyses[i]);
  cn_reference_spaces_leave(before);
  return *text ? CAIRN_OK : CAIRN_E_UNKNOWN;
}

const char *const *cairn_compile_analysis_names(void)
{
  static const char *names[2 * ANALYSIS_COUNT + 1];

  for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
    names[2 * i] = analyses[i].name;
    names[2 * i + 1] = analyses[i].help;
  }
  return names;
}
