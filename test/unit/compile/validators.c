/* SPDX-License-Identifier: Apache-2.0
 *
 * The validators of the compile side's structures: an error is planted in each place that one looks
 * at. A validator that finds nothing proves nothing. The structures are damaged after they were
 * built, so the test says the same in every build.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <llvm-c/IRReader.h>
#include "base/check.h"
#include "compile/analysis/callgraph.h"
#include "compile/cost/loops.h"
#include "compile/place/poll.h"
#include "compile/rewrite/frame/frame.h"
#include "compile/rewrite/values/refs.h"

static const char text[] = "declare void @safe()\n"
                           "define i64 @f(ptr addrspace(1) %r, i64 %n) gc \"statepoint-example\" {\n"
                           "entry:\n"
                           "  br label %outer\n"
                           "outer:\n"
                           "  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]\n"
                           "  %p = phi ptr addrspace(1) [ %r, %entry ], [ %q, %latch ]\n"
                           "  br label %inner\n"
                           "inner:\n"
                           "  %j = phi i64 [ %i, %outer ], [ %j.next, %inner ]\n"
                           "  %j.next = add i64 %j, 1\n"
                           "  call void @safe()\n"
                           "  %c = icmp ult i64 %j.next, %n\n"
                           "  br i1 %c, label %inner, label %latch\n"
                           "latch:\n"
                           "  %i.next = add i64 %i, 2\n"
                           "  %q = load ptr addrspace(1), ptr addrspace(1) %p\n"
                           "  %same = icmp eq ptr addrspace(1) %p, %q\n"
                           "  call void @safe()\n"
                           "  %d = icmp ult i64 %i.next, %n\n"
                           "  br i1 %d, label %outer, label %done\n"
                           "done:\n"
                           "  %l = load i64, ptr addrspace(1) %p\n"
                           "  ret i64 %l\n"
                           "}\n"
                           "define i64 @g(ptr addrspace(1) %r) gc \"statepoint-example\" {\n"
                           "  %x = call i64 @f(ptr addrspace(1) %r, i64 3)\n"
                           "  ret i64 %x\n"
                           "}\n";

/* %r lives into the pad of the invoke. */
static const char unwinding[] = "declare void @safe()\n"
                                "declare i32 @personality(...)\n"
                                "define i64 @f(ptr addrspace(1) %r) gc \"statepoint-example\" "
                                "personality ptr @personality {\n"
                                "entry:\n"
                                "  invoke void @safe() to label %done unwind label %pad\n"
                                "pad:\n"
                                "  %x = landingpad { ptr, i32 } cleanup\n"
                                "  %l = load i64, ptr addrspace(1) %r\n"
                                "  ret i64 %l\n"
                                "done:\n"
                                "  ret i64 0\n"
                                "}\n";

static LLVMModuleRef module;
static struct cn_ctx ctx;
static struct cairn_compile_options options;
static LLVMValueRef function;

static int begin_with(const char *source)
{
  char *message = NULL;

  ctx = (struct cn_ctx){.llvm = LLVMContextCreate(), .options = &options};
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(source, strlen(source), "text");
  assert_false(LLVMParseIRInContext(ctx.llvm, buffer, &module, &message));
  ctx.module = module;
  function = LLVMGetNamedFunction(module, "f");
  return 0;
}

static int begin(void **state)
{
  (void)state;
  return begin_with(text);
}

static int begin_unwinding(void **state)
{
  (void)state;
  return begin_with(unwinding);
}

static int end(void **state)
{
  (void)state;
  LLVMDisposeModule(module);
  LLVMContextDispose(ctx.llvm);
  return 0;
}

/* Plant the error, expect `message` of the validator, mend it. */
#define PLANT(place, value, wrong, message) \
  do { \
    __typeof__(place) was = (place); \
    assert_null(wrong); \
    (place) = (value); \
    found((wrong), (message)); \
    (place) = was; \
    assert_null(wrong); \
  } while (0)

static void found(const char *wrong, const char *message)
{
  if (wrong == NULL || strcmp(wrong, message) != 0)
    fail_msg("expected \"%s\", found \"%s\"", message, wrong ? wrong : "nothing");
}

/* entry 0, outer 1, inner 2, latch 3, done 4 */
static void control_flow(void **state)
{
  struct cn_cfg cfg;

  (void)state;
  cn_cfg_build(&cfg, function);
  struct cn_cfg_block *b = cfg.blocks;
  assert_int_equal(cfg.count, 5);
  PLANT(b[2].block, b[3].block, cn_cfg_wrong(&cfg), "control flow graph: the index does not lead to a block");
  PLANT(b[0].block, b[1].block, cn_cfg_wrong(&cfg), "control flow graph: it does not begin with the entry");
  PLANT(b[3].succ_count, 1, cn_cfg_wrong(&cfg), "control flow graph: a terminator has changed");
  PLANT(b[3].succs[1], 2, cn_cfg_wrong(&cfg), "control flow graph: an edge leads elsewhere");
  PLANT(b[4].preds[0], 4, cn_cfg_wrong(&cfg), "control flow graph: not in reverse post-order");
  PLANT(b[1].preds[1], 2, cn_cfg_wrong(&cfg), "control flow graph: predecessors and successors disagree");
  PLANT(b[0].below, 4, cn_cfg_wrong(&cfg), "control flow graph: the entry is not the root of the dominator tree");
  PLANT(b[3].idom, 3, cn_cfg_wrong(&cfg), "control flow graph: a block comes before its immediate dominator");
  PLANT(b[3].place, 1, cn_cfg_wrong(&cfg), "control flow graph: a block's places are not among those of its dominator");
  PLANT(b[4].below, 0, cn_cfg_wrong(&cfg), "control flow graph: the places of the dominator tree do not add up");
  PLANT(b[3].idom, 1, cn_cfg_wrong(&cfg), "control flow graph: the places of the dominator tree do not add up");
  PLANT(b[4].depth, 1, cn_cfg_wrong(&cfg), "control flow graph: a block in no loop has a depth");
  PLANT(b[3].loop, 0, cn_cfg_wrong(&cfg), "control flow graph: a block's loop has no header that dominates it");
  PLANT(b[3].depth, 2, cn_cfg_wrong(&cfg), "control flow graph: a block is not as deep as the header of its loop");
  PLANT(b[2].outer, CN_NO_BLOCK, cn_cfg_wrong(&cfg), "control flow graph: a loop has none around it, but a depth");
  PLANT(b[2].outer, 0, cn_cfg_wrong(&cfg), "control flow graph: a loop is not one deeper than the next around it");
  cn_cfg_free(&cfg);
}

/* A graph of a function that has changed since. */
static void outdated(void **state)
{
  struct cn_cfg cfg;

  (void)state;
  cn_cfg_build_edges(&cfg, function);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(cfg.blocks[3].block), 0, cfg.blocks[2].block);
  found(cn_cfg_wrong(&cfg), "control flow graph: an edge leads elsewhere");
  cn_cfg_free(&cfg);
}

static void loops(void **state)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  (void)state;
  cn_cfg_build(&cfg, function);
  cn_loops_build(&loops, &cfg);
  assert_int_equal(loops.count, 2); /* the inner one is the first */
  struct cn_loop *l = loops.at;
  PLANT(loops.of[3], 0, cn_loops_wrong(&loops), "loops: a block's loop is not that of the control flow graph");
  PLANT(l[0].below, 0, cn_loops_wrong(&loops), "loops: a loop contains others than there are before it");
  PLANT(l[0].parent, 0, cn_loops_wrong(&loops), "loops: an outer loop comes before an inner one");
  PLANT(l[1].below, 1, cn_loops_wrong(&loops), "loops: what a loop contains is not among what its parent does");
  PLANT(l[1].inner, false, cn_loops_wrong(&loops), "loops: a parent does not contain its loop");
  PLANT(l[1].latch, 2, cn_loops_wrong(&loops), "loops: the latch is another");
  PLANT(l[1].blocks, l[0].blocks, cn_loops_wrong(&loops), "loops: a body does not begin with its header");
  PLANT(loops.of[2], CN_NO_BLOCK, cn_loops_wrong(&loops),
        "loops: a block's loop is not that of the control flow graph");
  PLANT(loops.order[3], 4, cn_loops_wrong(&loops), "loops: the order lacks a block, or an edge leads back in it");
  PLANT(l[1].count, 2, cn_loops_wrong(&loops), "loops: a body lacks a block, or has one twice");
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

static void call_graph(void **state)
{
  struct cn_callgraph graph;

  (void)state;
  cn_callgraph_build(&graph, &ctx);
  assert_int_equal(graph.count, 2);
  struct cn_call_node *n = graph.nodes;
  PLANT(n[0].function, LLVMGetNamedFunction(module, "safe"), cn_callgraph_wrong(&graph),
        "call graph: a node is no managed definition");
  PLANT(n[0].function, n[1].function, cn_callgraph_wrong(&graph), "call graph: the index does not lead to a node");
  PLANT(n[1].rank, 0, cn_callgraph_wrong(&graph), "call graph: a node does not have its rank");
  PLANT(graph.order[1], 0, cn_callgraph_wrong(&graph), "call graph: a node does not have its rank");
  PLANT(n[1].comes_back, true, cn_callgraph_wrong(&graph), "call graph: a node comes back without an unknown call");
  PLANT(n[1].callees[0], 2, cn_callgraph_wrong(&graph), "call graph: a callee is no node");
  cn_callgraph_free(&graph);
}

static void poll_sites(void **state)
{
  struct cn_cfg cfg;
  struct cn_poll_sites sites;

  (void)state;
  cn_cfg_build(&cfg, function);
  cn_poll_sites_begin(&sites, &ctx, &cfg);
  cn_poll_sites_add(&sites, cn_poll_site_at_latch(&ctx, cfg.blocks[2].block));
  cn_poll_sites_add(&sites, cn_poll_site_at_latch(&ctx, cfg.blocks[3].block));
  assert_int_equal(sites.list.count, 2);
  LLVMValueRef *at = sites.list.at;
  PLANT(at[1], at[0], cn_poll_sites_wrong(&sites), "poll sites: one is listed twice, or not as seen");
  LLVMValueRef phi = LLVMGetFirstInstruction(cfg.blocks[1].block);
  cn_ptrmap_add(&sites.seen, phi, NULL);
  PLANT(at[1], phi, cn_poll_sites_wrong(&sites), "poll sites: a poll cannot come before one");
  LLVMValueRef other = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetNamedFunction(module, "g")));
  cn_ptrmap_add(&sites.seen, other, NULL);
  PLANT(at[1], other, cn_poll_sites_wrong(&sites), "poll sites: one is in no reachable block of the function");
  uint32_t open[5] = {0, 0, 1, 0, 0}, *none = sites.open;
  sites.open = open;
  found(cn_poll_sites_wrong(&sites), "poll sites: one lies in a region without safepoints");
  sites.open = none;
  cn_poll_sites_free(&sites);
  cn_cfg_free(&cfg);
}

#define PLANT_AT(when, place, value, message) PLANT(place, value, cn_refs_wrong(&refs, when), "references: " message)
#define PLANT_REFS(place, value, message) PLANT_AT(CN_REFS_AFTER_CHANGES, place, value, message)

/* values %r, %p, %q; parse points in inner and latch */
static void references(void **state)
{
  struct cn_cfg cfg;
  struct cn_refs refs;

  (void)state;
  cn_cfg_build(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness_compute(&refs);
  assert_int_equal(refs.values.count, 3);
  assert_int_equal(refs.points.count, 2);
  uint32_t p = 0;
  while (!LLVMIsAPHINode(refs.values.at[p].value))
    p++;
  struct cn_ref_value *value = &refs.values.at[p];
  assert_true(value->use_count > 1 && value->cross_count == 2);
  PLANT_REFS(value->value, refs.values.at[p ? 0 : 1].value, "the index does not lead to a value");
  PLANT_REFS(value->block, 5, "a definition is in no block");
  PLANT_REFS(value->root, 3, "a root is no value");
  PLANT_REFS(value->base, 3, "a base has a base");
  PLANT_REFS(value->derived, 3, "a derived value has another base");
  PLANT_AT(CN_REFS_AFTER_LIVENESS, refs.crossings.at[value->cross], 1, "the crossings of a value do not ascend");
  PLANT_REFS(value->use_count, 100, "a slice of uses ends beyond the last");
  struct cn_ref_use *use = &refs.uses.at[value->uses];
  PLANT_REFS(use->value, 3, "a use is in another value's slice");
  PLANT_REFS(use->pos, 1000, "a use is in no block");
  PLANT_REFS(use->point, 2, "a use is of no parse point");
  PLANT_AT(CN_REFS_AFTER_BUILD, use->pos, refs.last_pos[use->block] + 1, "the uses of a value do not ascend");
  PLANT_REFS(refs.first_point[5], 1, "the blocks do not share out the parse points");
  PLANT_REFS(refs.last_pos[1], 0, "the positions of the blocks do not ascend");
  PLANT_REFS(refs.first_point[1], 3, "the parse points of the blocks do not ascend");
  PLANT_REFS(refs.points.at[1].block, 2, "a parse point is in another block");
  PLANT_REFS(refs.points.at[1].pos, 0, "the parse points do not ascend");
  PLANT_REFS(refs.points.at[1].live.at[0], 3, "the live values of a parse point do not ascend");
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}

/* What lives into a pad does so by its use there. */
static void unwound(void **state)
{
  struct cn_cfg cfg;
  struct cn_refs refs;

  (void)state;
  cn_cfg_build(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness_compute(&refs);
  assert_int_equal(refs.values.count, 1);
  assert_int_equal(refs.values.at[0].use_count, 1);
  found(cn_unwind_wrong(&refs), "unwind: a reference lives into a pad over a parse point");
  refs.values.at[0].use_count = 0;
  assert_null(cn_unwind_wrong(&refs));
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(control_flow, begin, end),
      cmocka_unit_test_setup_teardown(outdated, begin, end),
      cmocka_unit_test_setup_teardown(loops, begin, end),
      cmocka_unit_test_setup_teardown(call_graph, begin, end),
      cmocka_unit_test_setup_teardown(poll_sites, begin, end),
      cmocka_unit_test_setup_teardown(references, begin, end),
      cmocka_unit_test_setup_teardown(unwound, begin_unwinding, end),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
