/* SPDX-License-Identifier: Apache-2.0
 *
 * Base pointers: for each reference that crosses a parse point, the reference to the start of
 * the object that it points into (statepoints-later, "Base & Derived Pointers"; the slides'
 * "What about PHIs?").
 *
 * - Arguments, loads, call results and whatever else yields a reference from memory or another
 *   function are bases ("derived pointers can't escape").
 * - A GEP, freeze, bitcast, ptrmask or invariant group marker has its operand's base.
 * - Constants and globals are not relocatable: their base is null where one is asked for.
 * - A phi or select whose inputs all come from one base has that base. Else, if it chooses among
 *   bases themselves, it is one; else a phi or select of the inputs' bases is made beside it.
 *   sources.c finds which, cycles included.
 *
 * Needs: struct cn_refs with liveness. Provides: base phis and selects in the IR. Breaks: struct
 * cn_refs, if any was made.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/bases.h"
#include "compile/calls.h"
#include "compile/names.h"

static bool passes_through(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.launder.invariant.group", "llvm.strip.invariant.group",
                                      "llvm.ssa.copy", "llvm.ptr.annotation"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cn_calls_intrinsic(call, names[i]))
      return true;
  return false;
}

static LLVMValueRef look_through(LLVMValueRef value, bool *moves)
{
  if (LLVMGetValueKind(value) != LLVMInstructionValueKind)
    return NULL;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
    *moves = true;
    return LLVMGetOperand(value, 0);
  case LLVMBitCast:
  case LLVMFreeze:
    return LLVMGetOperand(value, 0);
  case LLVMCall:
    if (cn_calls_intrinsic(value, "llvm.ptrmask") ||
        cn_calls_intrinsic(value, "llvm.experimental.gc.get.pointer.base")) {
      *moves = true;
      return LLVMGetOperand(value, 0);
    }
    if (passes_through(value))
      return LLVMGetOperand(value, 0);
    /* fall through */
  case LLVMInvoke: {
    LLVMValueRef base = cn_calls_base(value);
    *moves |= base != NULL;
    return base;
  }
  default:
    return NULL;
  }
}

/* What the chain of adjustments that makes `value` starts from; *moves if one may change the
 * address. The low bit of a remembered end says that. */
static LLVMValueRef chain_end(struct cn_base_graph *graph, LLVMValueRef value, bool *moves)
{
  LLVMValueRef start = value;
  bool moved = false;

  for (LLVMValueRef next; (next = look_through(value, &moved)); value = next) {
    const uint64_t *known = cn_ptrmap_find(&graph->ends, next);
    if (known) {
      moved |= *known & 1;
      value = (LLVMValueRef)(uintptr_t)(*known & ~UINT64_C(1));
      break;
    }
  }
  if (value != start)
    *cn_ptrmap_add(&graph->ends, start, NULL) = (uint64_t)(uintptr_t)value | moved;
  *moves |= moved;
  return value;
}

static bool is_merge(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

/* Constants, globals, stack slots in the managed address space and what is marked so do not
 * move. With that optimisation off, constants are values like others. */
static bool is_immovable(const struct cn_base_graph *graph, LLVMValueRef value)
{
  if (LLVMIsConstant(value))
    return cn_refs_index(graph->refs, value) == CN_NO_INDEX;
  if (LLVMIsAAllocaInst(value) || LLVMIsAAddrSpaceCastInst(value) ||
      cn_calls_intrinsic(value, "llvm.threadlocal.address"))
    return true;
  return cn_refs_on(graph->refs, CAIRN_RELOCATION_IMMOVABLE) && cn_is_immovable(value);
}

static unsigned input_count(LLVMValueRef merge)
{
  return LLVMIsAPHINode(merge) ? LLVMCountIncoming(merge) : 2;
}

static LLVMValueRef input(LLVMValueRef merge, unsigned i)
{
  return LLVMIsAPHINode(merge) ? LLVMGetIncomingValue(merge, i) : LLVMGetOperand(merge, i + 1);
}

static void discover(struct cn_base_graph *graph, LLVMValueRef value)
{
  bool moves = false, fresh;
  LLVMValueRef end = chain_end(graph, value, &moves);

  if (!is_merge(end))
    return;
  uint64_t *slot = cn_ptrmap_add(&graph->node_of, end, &fresh);
  if (!fresh)
    return;
  *slot = graph->merges.count + 1;
  uint32_t at = cn_refs_index(graph->refs, end);
  CN_CHECK(at != CN_NO_INDEX);
  cn_push(&graph->merges, (struct cn_merge){.value = end,
                                         .pos = graph->refs->values.at[at].pos,
                                         .index = (uint32_t)graph->merges.count});
}

static int by_position(const void *a, const void *b)
{
  const struct cn_merge *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* All merges that the crossing values come from, in order of position. */
static void collect(struct cn_base_graph *graph)
{
  for (size_t v = 0; v < graph->refs->values.count; v++)
    if (graph->refs->values.at[v].cross_count)
      discover(graph, graph->refs->values.at[v].value);
  for (size_t m = 0; m < graph->merges.count; m++) {
    LLVMValueRef merge = graph->merges.at[m].value;
    for (unsigned i = 0; i < input_count(merge); i++)
      discover(graph, input(merge, i));
  }
  if (graph->merges.count > 1)
    qsort(graph->merges.at, graph->merges.count, sizeof *graph->merges.at, by_position);
  for (size_t m = 0; m < graph->merges.count; m++)
    *cn_ptrmap_find(&graph->node_of, graph->merges.at[m].value) = m + 1;
}

static struct cn_merge *merge_of(struct cn_base_graph *graph, LLVMValueRef value)
{
  const uint64_t *node = cn_ptrmap_find(&graph->node_of, value);

  return node ? &graph->merges.at[*node - 1] : NULL;
}

static uint32_t source_number(struct cn_base_graph *graph, LLVMValueRef base)
{
  bool fresh;

  if (is_immovable(graph, base))
    return 1;
  uint64_t *slot = cn_ptrmap_add(&graph->source_of, base, &fresh);
  if (fresh) {
    cn_push(&graph->sources, base);
    *slot = graph->sources.count;
  }
  return (uint32_t)*slot;
}

/* Sources are numbered first, so their number must be known before the nodes'. */
static void connect(struct cn_base_graph *graph)
{
  uint32_t total = 0;
  bool moves = false;

  cn_push(&graph->sources, NULL);
  graph->first = cn_alloc((graph->merges.count + 1) * sizeof *graph->first);
  for (size_t m = 0; m < graph->merges.count; m++) {
    struct cn_merge *merge = &graph->merges.at[m];
    graph->first[m] = total;
    total += input_count(merge->value);
    for (unsigned i = 0; i < input_count(merge->value); i++) {
      moves = false;
      LLVMValueRef end = chain_end(graph, input(merge->value, i), &moves);
      merge->moves |= moves;
      if (!is_merge(end))
        source_number(graph, end);
    }
  }
  graph->first[graph->merges.count] = total;
  graph->inputs = cn_alloc(total * sizeof *graph->inputs);
  for (size_t m = 0; m < graph->merges.count; m++)
    for (uint32_t i = graph->first[m]; i < graph->first[m + 1]; i++) {
      LLVMValueRef from = input(graph->merges.at[m].value, i - graph->first[m]);
      LLVMValueRef end = chain_end(graph, from, &moves);
      const struct cn_merge *merge = merge_of(graph, end);
      graph->inputs[i] = merge ? (uint32_t)(graph->sources.count + 1 +
                                            (size_t)(merge - graph->merges.at))
                               : source_number(graph, end);
    }
}

/* A merge that has a derived input, through other merges too, is derived. */
static void spread_moves(struct cn_base_graph *graph)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (size_t m = 0; m < graph->merges.count; m++) {
      struct cn_merge *merge = &graph->merges.at[m];
      for (uint32_t i = graph->first[m]; i < graph->first[m + 1] && !merge->moves; i++)
        if (graph->inputs[i] > graph->sources.count &&
            graph->merges.at[graph->inputs[i] - graph->sources.count - 1].moves)
          changed = merge->moves = true;
    }
  }
}

static void build_graph(struct cn_base_graph *graph, const struct cn_refs *refs)
{
  *graph = (struct cn_base_graph){.refs = refs};
  collect(graph);
  connect(graph);
  spread_moves(graph);
  graph->top = cn_sources_solve((uint32_t)graph->sources.count, (uint32_t)graph->merges.count,
                                graph->first, graph->inputs);
  if (cn_refs_on(refs, CAIRN_RELOCATION_SHARE_BASES) && graph->merges.count > 1)
    cn_bases_share(graph);
}

static void free_graph(struct cn_base_graph *graph)
{
  cn_free(&graph->merges);
  cn_free(&graph->sources);
  cn_ptrmap_free(&graph->node_of);
  cn_ptrmap_free(&graph->source_of);
  cn_ptrmap_free(&graph->ends);
  free(graph->first);
  free(graph->inputs);
  free(graph->top);
}

/* The base of `value`: null if not relocatable, or a merge in `*at` that has no base yet. */
static LLVMValueRef base_of(struct cn_base_graph *graph, LLVMValueRef value, struct cn_merge **at)
{
  bool moves = false;
  LLVMValueRef end = chain_end(graph, value, &moves);
  struct cn_merge *merge = merge_of(graph, end);

  *at = NULL;
  if (!merge)
    return is_immovable(graph, end) ? NULL : end;
  if (!cn_refs_on(graph->refs, CAIRN_RELOCATION_SHARE_BASES)) {
    *at = merge->base ? NULL : merge;
    return merge->base;
  }
  uint32_t top = graph->top[merge - graph->merges.at];
  if (top <= graph->sources.count)
    return graph->sources.at[top - 1];
  merge = &graph->merges.at[top - graph->sources.count - 1];
  if (merge->same)
    merge = merge->same;
  if (merge->moves && !merge->base)
    *at = merge;
  return merge->moves ? merge->base : merge->value;
}

/* A phi without operands, or a copy of the select, beside the merge. */
static LLVMValueRef make_base(LLVMBuilderRef builder, LLVMValueRef merge, bool named)
{
  LLVMValueRef base;

  LLVMPositionBuilderBefore(builder, merge);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(merge));
  if (LLVMIsAPHINode(merge)) {
    base = LLVMBuildPhi(builder, LLVMTypeOf(merge), "");
  } else {
    base = LLVMInstructionClone(merge);
    LLVMInsertIntoBuilder(builder, base);
  }
  if (named)
    cn_name_after(base, merge, ".base");
  return base;
}

static LLVMValueRef base_or_null(struct cn_base_graph *graph, LLVMValueRef value)
{
  struct cn_merge *missing;
  LLVMValueRef base = base_of(graph, value, &missing);

  CN_CHECK(!missing);
  return base ? base : LLVMConstNull(LLVMTypeOf(value));
}

static void fill_base(struct cn_base_graph *graph, const struct cn_merge *merge)
{
  for (unsigned i = 0; i < input_count(merge->value); i++) {
    LLVMValueRef base = base_or_null(graph, input(merge->value, i));
    if (LLVMIsAPHINode(merge->value)) {
      LLVMBasicBlockRef from = LLVMGetIncomingBlock(merge->value, i);
      LLVMAddIncoming(merge->base, &base, &from, 1);
    } else {
      LLVMSetOperand(merge->base, i + 1, base);
    }
  }
}

struct made {
  LLVMBuilderRef builder;
  CN_VECTOR(struct cn_merge *) merges;
};

/* The merge that the base of `value` is to stand beside gets it, if there is one. */
static void demand_base(struct cn_base_graph *graph, LLVMValueRef value, struct made *made)
{
  struct cn_merge *missing;

  base_of(graph, value, &missing);
  if (!missing)
    return;
  missing->base = make_base(made->builder, missing->value, cn_refs_named(graph->refs));
  cn_push(&made->merges, missing);
}

/* Make base phis and selects for what the crossing values ask for, and what those ask for in
 * turn. Without sharing every merge has one, whether something asks for it or not. */
static uint32_t materialise(struct cn_base_graph *graph, LLVMContextRef llvm)
{
  struct made made = {.builder = LLVMCreateBuilderInContext(llvm)};

  for (size_t v = 0; v < graph->refs->values.count; v++)
    if (graph->refs->values.at[v].cross_count)
      demand_base(graph, graph->refs->values.at[v].value, &made);
  if (!cn_refs_on(graph->refs, CAIRN_RELOCATION_SHARE_BASES))
    for (size_t m = 0; m < graph->merges.count; m++)
      demand_base(graph, graph->merges.at[m].value, &made);
  for (size_t m = 0; m < made.merges.count; m++)
    for (unsigned i = 0; i < input_count(made.merges.at[m]->value); i++)
      demand_base(graph, input(made.merges.at[m]->value, i), &made);
  for (size_t m = 0; m < made.merges.count; m++)
    fill_base(graph, made.merges.at[m]);
  uint32_t count = (uint32_t)made.merges.count;
  cn_free(&made.merges);
  LLVMDisposeBuilder(made.builder);
  return count;
}

/* Is every crossing value its own base, plainly? So it is in most functions. */
static bool all_are_bases(const struct cn_refs *refs)
{
  const struct cn_base_graph graph = {.refs = refs};

  for (size_t v = 0; v < refs->values.count; v++) {
    LLVMValueRef value = refs->values.at[v].value;
    bool moves = false;
    if (refs->values.at[v].cross_count &&
        (is_merge(value) || look_through(value, &moves) || is_immovable(&graph, value)))
      return false;
  }
  return true;
}

void cn_bases_find(struct cn_bases *bases, const struct cn_refs *refs)
{
  struct cn_base_graph graph;
  struct cn_merge *missing;

  *bases = (struct cn_bases){0};
  if (all_are_bases(refs))
    return;
  build_graph(&graph, refs);
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(refs->cfg->function));
  bases->added = materialise(&graph, llvm);
  for (size_t v = 0; v < refs->values.count; v++) {
    LLVMValueRef value = refs->values.at[v].value;
    if (!refs->values.at[v].cross_count)
      continue;
    LLVMValueRef base = base_of(&graph, value, &missing);
    if (base != value)
      *cn_ptrmap_add(&bases->of, value, NULL) = (uintptr_t)base;
  }
  free_graph(&graph);
}

void cn_bases_free(struct cn_bases *bases)
{
  cn_ptrmap_free(&bases->of);
}

bool cn_refs_attach_bases(struct cn_refs *refs, const struct cn_bases *bases)
{
  bool any = false;

  for (uint32_t v = (uint32_t)refs->values.count; v-- > 0;) {
    struct cn_ref_value *value = &refs->values.at[v];
    const uint64_t *base = cn_ptrmap_find(&bases->of, value->value);
    if (!base)
      continue;
    any = true;
    if (!*base) {
      value->base = CN_NO_INDEX;
      continue;
    }
    value->base = cn_refs_index(refs, (LLVMValueRef)(uintptr_t)*base);
    CN_CHECK(value->base != CN_NO_INDEX);
    value->derived = refs->values.at[value->base].derived;
    refs->values.at[value->base].derived = v;
  }
  return any;
}

static void print_base(struct cn_base_graph *graph, LLVMValueRef value, FILE *out)
{
  struct cn_merge *missing;
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

  cn_cfg_build_edges(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness(&refs);
  build_graph(&graph, &refs);
  for (size_t v = 0; v < refs.values.count; v++)
    if (refs.values.at[v].cross_count)
      print_base(&graph, refs.values.at[v].value, out);
  free_graph(&graph);
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}
