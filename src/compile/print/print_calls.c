/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints calls, the call graph and the kinds of functions as text, for analyses.c. Needs: any module. Provides: lines
 * of text. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/callgraph.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/each.h"
#include "compile/print/print.h"
#include "compile/tail/tail.h"

/* Print ", at a.c:3:5" if the call has debug information. */
static void print_source_position(LLVMValueRef call, FILE *out)
{
  unsigned length, line = LLVMGetDebugLocLine(call);
  const char *file = line ? LLVMGetDebugLocFilename(call, &length) : NULL;

  if (file)
    fprintf(out, ", at %.*s:%u:%u", (int)length, file, line, LLVMGetDebugLocColumn(call));
}

static void print_call(LLVMValueRef call, struct cn_call_class class, FILE *out)
{
  static const char *const words[] = {"", "leaf", "parse", "musttail", "statepoint"};
  char name[160];

  CN_CHECK(class.kind < sizeof words / sizeof *words);
  fprintf(out, "  %s: %s (%s%s)", words[class.kind], cn_calls_describe(call, name, sizeof name), class.why,
          cn_is_in_tail_position(call) ? "; in tail position" : "");
  print_source_position(call, out);
  fputc('\n', out);
}

/* Print a line for each call, in block order, with its kind, its callee and the reason for the kind. */
void cn_print_calls(struct cn_ctx *ctx, LLVMValueRef function, FILE *out)
{
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);

  (void)ctx;
  for (; block; block = LLVMGetNextBasicBlock(block))
    CN_EACH_INSTRUCTION(i, block) {
      struct cn_call_class class = cn_classify_call(i);
      if (class.kind != CN_CALL_NONE)
        print_call(i, class, out);
    }
}

static void print_callgraph_node(const struct cn_callgraph *graph, uint32_t n, FILE *out)
{
  CN_CHECK(n < graph->count);
  const struct cn_call_node *node = &graph->nodes[n];
  size_t length;

  fprintf(out, "  @%s: calls%s", LLVMGetValueName2(node->function, &length),
          node->callee_count ? "" : " none that is certain");
  for (uint32_t c = 0; c < node->callee_count; c++) {
    LLVMValueRef callee = graph->nodes[node->callees[c]].function;
    fprintf(out, " @%s%s", LLVMGetValueName2(callee, &length),
            cn_callgraph_call_closes_cycle(graph, n, callee) ? "(back)" : "");
  }
  fprintf(out, "%s%s%s\n", node->unknown ? ", unknown" : "", node->open ? ", open" : "",
          node->comes_back ? ", comes back" : "");
}

/* Print a line for each managed definition, callees first. */
void cn_print_callgraph(struct cn_ctx *ctx, FILE *out)
{
  struct cn_callgraph graph;

  cn_callgraph_build(&graph, ctx);
  fputs("callgraph:\n", out);
  for (uint32_t i = 0; i < graph.count; i++)
    print_callgraph_node(&graph, graph.order[i], out);
  cn_callgraph_free(&graph);
}

/* Print a line for each definition: whether it is managed, will be managed, and handles references. */
void cn_print_managed(struct cn_ctx *ctx, FILE *out)
{
  size_t length;

  fputs("managed:\n", out);
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f))
      fprintf(out, "  @%s: %s%s\n", LLVMGetValueName2(f, &length),
              cn_is_managed(f)                      ? "managed"
              : cn_managed_is_to_be_managed(ctx, f) ? "will be managed"
                                                    : "unmanaged",
              cn_managed_is_free_of_refs(f) ? ", handles no reference" : "");
}
