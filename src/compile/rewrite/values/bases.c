/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the base pointer of each reference that crosses a parse point: the reference to the start of its object
 * (statepoints-later, "Base & Derived Pointers"; late-insertion-slides-2014, "What about PHIs?"). Part of
 * rewrite-statepoints.
 *
 * - Arguments, loads, call results and other values from memory or another function are bases
 *   ("derived pointers can't escape").
 * - A GEP, freeze, bitcast, ptrmask or invariant group marker has the base of its operand.
 * - Constants and globals never move: their base is null in base phis and selects.
 * - A phi or select whose inputs all have one base has this base. A phi or select of several bases is a base itself.
 *   Any other phi or select gets a phi or select of the inputs' bases beside it. value_flow.c decides between these
 *   cases, cycles included, on the graph of bases_graph.c.
 *
 * Needs: struct cn_refs with liveness. Provides: base phis and selects in the IR. Breaks: struct cn_refs, if a phi or
 * select was built, until cn_refs_add_merges() adds it.
 */
#include "compile/rewrite/values/bases.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"

/* The base of a merge, or null if the merge never moves. Sets *at to the merge that still needs a base, or to null. */
static LLVMValueRef base_of_merge(const struct cn_base_graph *graph, struct cn_base_merge *merge,
                                  struct cn_base_merge **at)
{
  *at = NULL;
  if (!cn_refs_is_optimisation_on(graph->refs, CAIRN_RELOCATION_SHARE_BASES)) {
    *at = merge->base ? NULL : merge;
    return merge->base;
  }
  uint32_t top = graph->top[merge - graph->merges.at];
  CN_CHECK(top >= 1 && top <= graph->sources.count + graph->merges.count);
  if (top <= graph->sources.count)
    return graph->sources.at[top - 1];
  merge = &graph->merges.at[top - graph->sources.count - 1];
  if (merge->same)
    merge = merge->same;
  if (merge->moves && !merge->base)
    *at = merge;
  return merge->moves ? merge->base : merge->value;
}

static LLVMValueRef base_of(struct cn_base_graph *graph, LLVMValueRef value, struct cn_base_merge **at)
{
  bool moves = false;
  LLVMValueRef end = cn_base_find_chain_start(graph, value, &moves);
  struct cn_base_merge *merge = cn_base_merge_of(graph, end);

  *at = NULL;
  if (merge)
    return base_of_merge(graph, merge, at);
  return cn_base_is_immovable(graph, end) ? NULL : end;
}

/* The base of input `i` in graph->inputs; sets *at as base_of_merge() does. */
static LLVMValueRef base_of_input(const struct cn_base_graph *graph, uint32_t i, struct cn_base_merge **at)
{
  uint32_t number = graph->inputs[i];

  *at = NULL;
  CN_ASSERT(number >= 1);
  if (number <= graph->sources.count)
    return graph->sources.at[number - 1];
  return base_of_merge(graph, &graph->merges.at[number - graph->sources.count - 1], at);
}

/* Build the base beside the merge: a phi without operands, or a copy of the select. */
static LLVMValueRef build_empty_base_merge(LLVMBuilderRef builder, LLVMValueRef merge, bool named)
{
  LLVMValueRef base;

  CN_ASSERT(cn_base_is_merge(merge));
  LLVMPositionBuilderBefore(builder, merge);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(merge));
  if (LLVMIsAPHINode(merge)) {
    base = LLVMBuildPhi(builder, LLVMTypeOf(merge), "");
  } else {
    base = LLVMInstructionClone(merge);
    LLVMInsertIntoBuilder(builder, base);
  }
  if (named)
    cn_name_value_after(base, merge, ".base");
  return base;
}

static void fill_base_merge(const struct cn_base_graph *graph, const struct cn_base_merge *merge)
{
  size_t m = (size_t)(merge - graph->merges.at);
  bool phi = LLVMIsAPHINode(merge->value);
  struct cn_base_merge *missing;

  CN_CHECK(merge->base);
  for (uint32_t i = graph->first[m]; i < graph->first[m + 1]; i++) {
    unsigned operand = i - graph->first[m];
    LLVMValueRef base = base_of_input(graph, i, &missing);
    CN_CHECK(!missing);
    if (!base)
      base = LLVMConstNull(LLVMTypeOf(merge->value));
    CN_ASSERT(LLVMTypeOf(base) == LLVMTypeOf(merge->value));
    if (phi) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(merge->value, operand);
      LLVMAddIncoming(merge->base, &base, &from, 1);
    } else {
      LLVMSetOperand(merge->base, operand + 1, base);
    }
  }
}

struct made_bases {
  LLVMBuilderRef builder;
  CN_VECTOR(struct cn_base_merge *) merges;
};

/* Build a base beside `missing`, which may be null. */
static void build_missing_base(const struct cn_base_graph *graph, struct cn_base_merge *missing,
                               struct made_bases *made)
{
  if (!missing)
    return;
  CN_CHECK(!missing->base);
  missing->base = build_empty_base_merge(made->builder, missing->value, cn_refs_may_name_values(graph->refs));
  cn_push(&made->merges, missing);
}

/* Build the base phis and selects that crossing values need, and the base phis and selects that these need as inputs.
 * With CAIRN_RELOCATION_SHARE_BASES off, every merge gets a base phi or select. */
static void build_base_merges(struct cn_base_graph *graph, LLVMContextRef llvm, struct cn_base_map *bases)
{
  struct made_bases made = {.builder = LLVMCreateBuilderInContext(llvm)};
  struct cn_base_merge *missing;

  for (size_t v = 0; v < graph->refs->values.count; v++)
    if (graph->refs->values.at[v].cross_count) {
      base_of(graph, graph->refs->values.at[v].value, &missing);
      build_missing_base(graph, missing, &made);
    }
  if (!cn_refs_is_optimisation_on(graph->refs, CAIRN_RELOCATION_SHARE_BASES))
    for (size_t m = 0; m < graph->merges.count; m++) {
      base_of_merge(graph, &graph->merges.at[m], &missing);
      build_missing_base(graph, missing, &made);
    }
  for (size_t m = 0; m < made.merges.count; m++) {
    size_t at = (size_t)(made.merges.at[m] - graph->merges.at);
    for (uint32_t i = graph->first[at]; i < graph->first[at + 1]; i++) {
      base_of_input(graph, i, &missing);
      build_missing_base(graph, missing, &made);
    }
  }
  for (size_t m = 0; m < made.merges.count; m++) {
    const struct cn_base_merge *merge = made.merges.at[m];
    fill_base_merge(graph, merge);
    cn_push(&bases->made, (struct cn_made_merge){merge->base, merge->value});
  }
  cn_free(&made.merges);
  LLVMDisposeBuilder(made.builder);
}

/* True if each crossing value is obviously its own base, as in most functions; the graph is then superfluous. */
static bool has_only_obvious_bases(const struct cn_refs *refs)
{
  const struct cn_base_graph graph = {.refs = refs};

  for (size_t v = 0; v < refs->values.count; v++) {
    LLVMValueRef value = refs->values.at[v].value;
    bool moves = false;
    if (refs->values.at[v].cross_count &&
        (cn_base_is_merge(value) || cn_base_adjusted_value_of(value, &moves) || cn_base_is_immovable(&graph, value)))
      return false;
  }
  return true;
}

void cn_bases_find(struct cn_base_map *bases, const struct cn_refs *refs)
{
  struct cn_base_graph graph;
  struct cn_base_merge *missing;

  *bases = (struct cn_base_map){0};
  if (has_only_obvious_bases(refs))
    return;
  cn_base_graph_build(&graph, refs);
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(refs->cfg->function));
  build_base_merges(&graph, llvm, bases);
  for (size_t v = 0; v < refs->values.count; v++) {
    LLVMValueRef value = refs->values.at[v].value;
    if (!refs->values.at[v].cross_count)
      continue;
    LLVMValueRef base = base_of(&graph, value, &missing);
    CN_CHECK(!missing);
    if (base != value)
      *cn_ptrmap_add(&bases->of, value, NULL) = (uintptr_t)base;
  }
  cn_base_graph_free(&graph);
}

void cn_bases_free(struct cn_base_map *bases)
{
  cn_ptrmap_free(&bases->of);
  cn_free(&bases->made);
}

void cn_refs_find_bases(struct cn_refs *refs)
{
  struct cn_cfg *cfg = refs->cfg;
  unsigned off = refs->off;
  struct cn_base_map bases;

  cn_bases_find(&bases, refs);
  if (bases.made.count) {
    cn_refs_free(refs);
    cn_refs_build(refs, cfg, off);
  }
  cn_refs_attach_bases(refs, &bases);
  cn_bases_free(&bases);
}

static void print_base(struct cn_base_graph *graph, LLVMValueRef value, FILE *out)
{
  struct cn_base_merge *missing;
  LLVMValueRef base = base_of(graph, value, &missing);
  char name[64];

  fprintf(out, "  %s:", cn_value_name(value, name, sizeof name));
  if (missing)
    fprintf(out, " merge beside %s\n", cn_value_name(missing->value, name, sizeof name));
  else
    fprintf(out, " %s\n", base ? cn_value_name(base, name, sizeof name) : "none");
}

void cn_bases_print(LLVMValueRef function, FILE *out)
{
  struct cn_cfg cfg;
  struct cn_refs refs;
  struct cn_base_graph graph;

  CN_ASSERT(LLVMIsAFunction(function));
  cn_cfg_build_edges(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness_compute(&refs);
  cn_base_graph_build(&graph, &refs);
  for (size_t v = 0; v < refs.values.count; v++)
    if (refs.values.at[v].cross_count)
      print_base(&graph, refs.values.at[v].value, out);
  cn_base_graph_free(&graph);
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}
