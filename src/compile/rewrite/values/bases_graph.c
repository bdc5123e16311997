/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the graph for bases.c: the chain of adjustments of each value, and the phis and selects at the ends of the
 * chains (statepoints-later, "Base & Derived Pointers"). Part of rewrite-statepoints.
 *
 * Needs: struct cn_refs with liveness. Provides: struct cn_base_graph. Breaks: nothing.
 */
#include "compile/rewrite/values/bases.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/value_flow.h"

static bool has_same_base_as_operand(LLVMValueRef call)
{
  static const char *const names[] = {"llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ssa.copy",
                                      "llvm.ptr.annotation"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cn_calls_intrinsic(call, names[i]))
      return true;
  return false;
}

LLVMValueRef cn_base_adjusted_value_of(LLVMValueRef value, bool *moves)
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
    if (has_same_base_as_operand(value))
      return LLVMGetOperand(value, 0);
    /* fall through */
  case LLVMInvoke: {
    LLVMValueRef base = cn_calls_base_argument(value);
    *moves |= base != NULL;
    return base;
  }
  default:
    return NULL;
  }
}

/* The low bit of an end in graph->ends says whether the chain may change the address. */
LLVMValueRef cn_base_find_chain_start(struct cn_base_graph *graph, LLVMValueRef value, bool *moves)
{
  LLVMValueRef start = value;
  bool moved = false;

  for (LLVMValueRef next; (next = cn_base_adjusted_value_of(value, &moved)); value = next) {
    const uint64_t *known = cn_ptrmap_find(&graph->ends, next);
    if (known) {
      moved |= *known & 1;
      value = (LLVMValueRef)(uintptr_t)(*known & ~UINT64_C(1));
      break;
    }
  }
  CN_ASSERT(((uintptr_t)value & 1) == 0);
  if (value != start)
    *cn_ptrmap_add(&graph->ends, start, NULL) = (uint64_t)(uintptr_t)value | moved;
  *moves |= moved;
  return value;
}

bool cn_base_is_merge(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

/* True if `value` never moves: constants, globals, allocas in the managed address space, and values marked immovable.
 * With CAIRN_RELOCATION_CONSTANTS off, `refs` lists null and globals like other values. */
bool cn_base_is_immovable(const struct cn_base_graph *graph, LLVMValueRef value)
{
  if (LLVMIsConstant(value))
    return cn_refs_index(graph->refs, value) == CN_NO_INDEX;
  if (LLVMIsAAllocaInst(value) || LLVMIsAAddrSpaceCastInst(value) ||
      cn_calls_intrinsic(value, "llvm.threadlocal.address"))
    return true;
  return cn_refs_is_optimisation_on(graph->refs, CAIRN_RELOCATION_IMMOVABLE) && cn_is_immovable(value);
}

static unsigned input_count(LLVMValueRef merge)
{
  return LLVMIsAPHINode(merge) ? LLVMCountIncoming(merge) : 2;
}

static LLVMValueRef merge_input_at(LLVMValueRef merge, unsigned i)
{
  CN_ASSERT(i < input_count(merge));
  return LLVMIsAPHINode(merge) ? LLVMGetIncomingValue(merge, i) : LLVMGetOperand(merge, i + 1);
}

static void add_merge_if_new(struct cn_base_graph *graph, LLVMValueRef value)
{
  bool moves = false, fresh;
  LLVMValueRef end = cn_base_find_chain_start(graph, value, &moves);

  if (!cn_base_is_merge(end))
    return;
  uint64_t *slot = cn_ptrmap_add(&graph->node_of, end, &fresh);
  if (!fresh)
    return;
  *slot = graph->merges.count + 1;
  uint32_t at = cn_refs_index(graph->refs, end);
  CN_CHECK(at != CN_NO_INDEX);
  cn_push(&graph->merges, (struct cn_base_merge){.value = end,
                                                 .pos = graph->refs->values.at[at].pos,
                                                 .index = (uint32_t)graph->merges.count});
}

static int by_position(const void *a, const void *b)
{
  const struct cn_base_merge *x = a, *y = b;

  if (x->pos != y->pos)
    return x->pos < y->pos ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* True if the merges are sorted by position, as they mostly are after discovery in the order of the values. */
static bool is_sorted(const struct cn_base_graph *graph)
{
  for (size_t m = 1; m < graph->merges.count; m++)
    if (by_position(&graph->merges.at[m - 1], &graph->merges.at[m]) > 0)
      return false;
  return true;
}

static void gather_merges(struct cn_base_graph *graph)
{
  for (size_t v = 0; v < graph->refs->values.count; v++)
    if (graph->refs->values.at[v].cross_count)
      add_merge_if_new(graph, graph->refs->values.at[v].value);
  for (size_t m = 0; m < graph->merges.count; m++) {
    LLVMValueRef merge = graph->merges.at[m].value;
    for (unsigned i = 0; i < input_count(merge); i++)
      add_merge_if_new(graph, merge_input_at(merge, i));
  }
  if (is_sorted(graph))
    return;
  qsort(graph->merges.at, graph->merges.count, sizeof *graph->merges.at, by_position);
  for (size_t m = 0; m < graph->merges.count; m++)
    *cn_ptrmap_find(&graph->node_of, graph->merges.at[m].value) = m + 1;
}

struct cn_base_merge *cn_base_merge_of(const struct cn_base_graph *graph, LLVMValueRef value)
{
  const uint64_t *node = cn_ptrmap_find(&graph->node_of, value);

  CN_ASSERT(!node || *node - 1 < graph->merges.count);
  return node ? &graph->merges.at[*node - 1] : NULL;
}

static uint32_t source_number(struct cn_base_graph *graph, LLVMValueRef base)
{
  bool fresh;

  if (cn_base_is_immovable(graph, base))
    return 1;
  uint64_t *slot = cn_ptrmap_add(&graph->source_of, base, &fresh);
  if (fresh) {
    cn_push(&graph->sources, base);
    *slot = graph->sources.count;
  }
  return (uint32_t)*slot;
}

/* Number all sources first, since the numbers of merges follow the numbers of sources. */
static void number_merge_inputs(struct cn_base_graph *graph)
{
  CN_VECTOR(LLVMValueRef) ends = {0};

  cn_push(&graph->sources, NULL);
  graph->first = cn_alloc((graph->merges.count + 1) * sizeof *graph->first);
  for (size_t m = 0; m < graph->merges.count; m++) {
    struct cn_base_merge *merge = &graph->merges.at[m];
    unsigned count = input_count(merge->value);
    graph->first[m] = (uint32_t)ends.count;
    for (unsigned i = 0; i < count; i++) {
      bool moves = false;
      LLVMValueRef end = cn_base_find_chain_start(graph, merge_input_at(merge->value, i), &moves);
      merge->moves |= moves;
      if (!cn_base_is_merge(end))
        source_number(graph, end);
      cn_push(&ends, end);
    }
  }
  graph->first[graph->merges.count] = (uint32_t)ends.count;
  size_t sources = graph->sources.count;
  CN_CHECK(sources + graph->merges.count < UINT32_MAX);
  graph->inputs = cn_alloc(ends.count * sizeof *graph->inputs);
  for (size_t i = 0; i < ends.count; i++) {
    const struct cn_base_merge *merge = cn_base_merge_of(graph, ends.at[i]);
    graph->inputs[i] = merge ? (uint32_t)(graph->sources.count + 1 + (size_t)(merge - graph->merges.at))
                             : source_number(graph, ends.at[i]);
  }
  CN_CHECK(graph->sources.count == sources);
  cn_free(&ends);
}

/* Mark each merge with a derived input, also through other merges, as derived. */
static void propagate_derived_merges(struct cn_base_graph *graph)
{
  bool changed = true;

  while (changed) {
    changed = false;
    for (size_t m = 0; m < graph->merges.count; m++) {
      struct cn_base_merge *merge = &graph->merges.at[m];
      for (uint32_t i = graph->first[m]; i < graph->first[m + 1] && !merge->moves; i++)
        if (graph->inputs[i] > graph->sources.count &&
            graph->merges.at[graph->inputs[i] - graph->sources.count - 1].moves)
          changed = merge->moves = true;
    }
  }
}

void cn_base_graph_build(struct cn_base_graph *graph, const struct cn_refs *refs)
{
  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_AFTER_CHANGES));
  *graph = (struct cn_base_graph){.refs = refs};
  gather_merges(graph);
  number_merge_inputs(graph);
  propagate_derived_merges(graph);
  graph->top = cn_value_flow_find_origins((uint32_t)graph->sources.count, (uint32_t)graph->merges.count, graph->first,
                                          graph->inputs);
  if (cn_refs_is_optimisation_on(refs, CAIRN_RELOCATION_SHARE_BASES) && graph->merges.count > 1)
    cn_bases_share(graph);
}

void cn_base_graph_free(struct cn_base_graph *graph)
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
