/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes the time to safepoint: the bounds of every managed function, and the causes of missing bounds (`cairn verify
 * --time-to-safepoint`; docs/time-to-safepoint.md). The computation accepts modules from any producer. The computation
 * uses the instruction costs of place-safepoints, but decides independently which polls are necessary.
 *
 * Needs: safepoints in place. Provides: reports; a cause for each attribute "cairn-polls" or "cairn-work" of a
 * definition that promises too much. Breaks: nothing.
 *
 * Each round visits callees first, so that calls have the bounds of their callees. The algorithm is an optimistic fixed
 * point: it assumes that the callee of a call that closes a call cycle polls on each path. If an assumption fails,
 * another round drops the assumption. The induction is sound, because a call that has returned made only calls that
 * have returned. Each cycle of calls must have a safepoint. The rounds ignore the work of unpolled returns from such
 * callees; a later step adds this work if each cycle of returns has a safepoint. Otherwise the bounds hold for one
 * level of recursion.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/callgraph.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/verify/time/time_to_safepoint.h"

/* The public header also defines the unit of work. */
_Static_assert(CAIRN_TIME_UNBOUNDED == CN_WORK_UNKNOWN, "the unit of work is one");

/* The number of rounds before all assumptions are dropped. */
#define MAX_TIMING_ROUNDS 6

/* A call that precedes the first safepoint on some path. */
struct call_edge {
  uint32_t to;
  LLVMValueRef call;
};

struct function_record {
  struct cn_work_summary all;
  struct cn_time_causes causes;
  CN_VECTOR(struct call_edge) unpolled; /* calls before the first safepoint */
  CN_VECTOR(uint32_t) returning;        /* callees; the caller may return without a safepoint after the call */
  bool recursive, closed;               /* recursive: in a call cycle; closed: callee of a call that closes a cycle */
  bool counted;                         /* the function is outside all cycles of `returning` calls */
  unsigned regions;
};

struct timing_analysis {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_summaries known;
  struct function_record *records; /* by node */
  uint64_t limit;
  bool worst; /* drop all assumptions of calls that close cycles */
};

/* ---- calls ---- */

static bool opens_nopoll_region(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;

  return callee && strcmp(LLVMGetValueName2(callee, &length), CN_NOPOLL_BEGIN) == 0;
}

static void record_call(struct timing_analysis *t, uint32_t node, LLVMValueRef call, bool fresh, bool returns)
{
  uint32_t to = cn_callgraph_find_node(&t->graph, cn_callgraph_target_of_call(t->ctx, call));

  CN_ASSERT(node < t->graph.count && cn_is_call(call));
  t->records[node].regions += opens_nopoll_region(call);
  if (to == CN_NO_NODE)
    return;
  if (t->graph.nodes[to].rank >= t->graph.nodes[node].rank) {
    t->records[node].recursive = t->records[to].recursive = true;
    t->records[to].closed = true;
  }
  if (fresh)
    cn_push(&t->records[node].unpolled, (struct call_edge){to, call});
  if (returns)
    cn_push(&t->records[node].returning, to);
}

static void record_calls(struct timing_analysis *t, uint32_t node, const struct cn_function_work *work)
{
  const struct cn_cfg *cfg = work->loops->cfg;
  struct cn_unpolled_returns returns = {.cfg = cfg, .known = work->known, .caught = true};
  struct cn_work_summary ignored = {0};

  CN_ASSERT(work->known == &t->known);
  cn_unpolled_returns_find(&returns);
  for (uint32_t b = 0; b < cfg->count; b++) {
    struct cn_work_at_point p = work->in[b];
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      if (!cn_is_call(i))
        continue;
      record_call(t, node, i, p.fresh, cn_unpolled_return_after_call(&returns, b, i));
      struct cn_work_summary piece = cn_work_summary_of_instruction(work->known, i);
      p = cn_work_advance_point(p, &piece, &ignored);
    }
  }
  cn_unpolled_returns_free(&returns);
}

/* ---- functions ---- */

static uint64_t largest_bound_of(const struct cn_work_summary *s)
{
  uint64_t most = s->enter;

  most = s->between > most ? s->between : most;
  most = s->leave > most ? s->leave : most;
  return s->through > most ? s->through : most;
}

/* Check that the attributes of a function give true bounds to its callers, with an allowance for work added after
 * placement. */
static void check_work_claims(struct function_record *r, LLVMValueRef function)
{
  LLVMAttributeRef said = cn_string_attribute(function, CN_ATTR_WORK);
  const struct cn_work_summary *all = &r->all;
  uint64_t outside = all->enter > all->leave ? all->enter : all->leave;

  outside = all->through > outside ? all->through : outside;
  if (said && outside > 2 * (CN_CALL_WORK + cn_work_parse_promise(said)) && !r->recursive)
    cn_causes_add(&r->causes, "claim", function, NULL, cn_strdup("its attribute \"" CN_ATTR_WORK "\" promises less"),
                  outside);
  if (cn_string_attribute(function, CN_ATTR_POLLS) && all->passes)
    cn_causes_add(&r->causes, "claim", function, NULL,
                  cn_strdup("its attribute \"" CN_ATTR_POLLS "\" promises a safepoint on each way"), all->through);
}

static void find_causes(const struct timing_analysis *t, uint32_t node, const struct cn_function_work *work)
{
  LLVMValueRef function = t->graph.nodes[node].function;
  struct function_record *r = &t->records[node];

  CN_CHECK(t->limit);
  cn_causes_free(&r->causes);
  r->causes.limit = t->limit;
  cn_causes_find(&r->causes, work);
  if (!r->causes.at.count && largest_bound_of(&r->all) > t->limit)
    cn_causes_add(&r->causes, "path", function, NULL, cn_strdup("the longest path adds up to that"),
                  largest_bound_of(&r->all));
  check_work_claims(r, function);
}

static void time_function(struct timing_analysis *t, uint32_t node)
{
  LLVMValueRef function = t->graph.nodes[node].function;
  struct function_record *r = &t->records[node];
  struct cn_cfg cfg;
  struct cn_loops loops;
  struct cn_function_work work;

  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  cn_work_build(&work, t->ctx, &loops, &t->known);
  r->all = work.all;
  if (!r->all.passes && !cn_string_attribute(function, CN_ATTR_POLLS) && cn_work_may_unwind_unpolled(&work)) {
    r->all.passes = true;
    r->all.through = r->all.enter; /* at most */
  }
  r->regions = 0;
  r->unpolled.count = r->returning.count = 0;
  record_calls(t, node, &work);
  find_causes(t, node, &work);
  if (cn_callgraph_is_final(t->ctx, function))
    cn_work_record_summary(&t->known, function, &r->all);
  cn_work_free(&work);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

/* ---- rounds ---- */

/* Assume the summary of the last round, for callers that a round visits before the function. */
static void assume_summary(struct timing_analysis *t, uint32_t node, bool first)
{
  LLVMValueRef function = t->graph.nodes[node].function;
  struct cn_work_summary all = t->records[node].all;

  CN_ASSERT(first || t->records[node].closed);
  if (first)
    all = (struct cn_work_summary){.polls = true};
  all.passes |= t->worst;
  all.between = 0;
  if (!t->records[node].counted)
    all.leave = all.through = 0;
  if (cn_callgraph_is_final(t->ctx, function))
    cn_work_record_summary(&t->known, function, &all);
}

/* Visit all functions in one round. True if all assumptions about callees held. */
static bool time_all_functions(struct timing_analysis *t, unsigned round)
{
  bool held = true;

  t->worst = round == MAX_TIMING_ROUNDS;
  for (uint32_t n = 0; n < t->graph.count; n++)
    if (round == 0 || t->records[n].closed)
      assume_summary(t, n, round == 0);
  for (uint32_t i = 0; i < t->graph.count; i++) {
    uint32_t n = t->graph.order[i];
    struct cn_work_summary before = t->records[n].all;
    time_function(t, n);
    const struct cn_work_summary *after = &t->records[n].all;
    if (round == 0)
      before = (struct cn_work_summary){.polls = true};
    held &= before.passes == after->passes && before.polls == after->polls && before.enter == after->enter;
  }
  for (uint32_t n = 0; n < t->graph.count && !held; n++)
    if (t->records[n].closed)
      return false;
  return true;
}

/* ---- unpolled returns ---- */

/* Mark the functions outside all cycles of `returning` calls: the functions whose callees by such calls are all
 * marked. */
static void mark_outside_return_cycles(struct timing_analysis *t)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < t->graph.count; i++) {
      struct function_record *r = &t->records[t->graph.order[i]];
      bool counted = !r->counted;
      for (size_t n = 0; n < r->returning.count && counted; n++)
        counted = t->records[r->returning.at[n]].counted;
      changed |= counted;
      r->counted |= counted;
    }
  }
}

static uint64_t sum_of_bounds(const struct cn_work_summary *s)
{
  return cn_work_add(cn_work_add(s->enter, s->leave), cn_work_add(s->between, s->through));
}

/* Add the work of unpolled returns to functions with a bound of this work. */
static void count_unpolled_returns(struct timing_analysis *t)
{
  bool changed = true;

  mark_outside_return_cycles(t);
  for (unsigned round = 0; round <= MAX_TIMING_ROUNDS && changed; round++) {
    for (uint32_t n = 0; n < t->graph.count; n++)
      if (t->records[n].closed)
        assume_summary(t, n, false);
    changed = false;
    for (uint32_t i = 0; i < t->graph.count; i++) {
      struct function_record *r = &t->records[t->graph.order[i]];
      uint64_t before = sum_of_bounds(&r->all);
      time_function(t, t->graph.order[i]);
      changed |= before != sum_of_bounds(&r->all);
    }
  }
  for (uint32_t n = 0; n < t->graph.count; n++)
    t->records[n].recursive &= changed || !t->records[n].counted;
}

/* ---- recursion ---- */

/* A depth-first search over calls that precede the first safepoint. A call of a function on the search's path closes a
 * cycle without a safepoint. */
struct recursion_search {
  struct timing_analysis *t;
  uint8_t *state; /* for each node: 0 unseen, 1 on the path, 2 done */
  uint32_t *next;
  CN_VECTOR(uint32_t) path;
};

static void add_recursion_cause(struct timing_analysis *t, uint32_t node, const struct call_edge *edge)
{
  char name[160];

  cn_causes_add(&t->records[node].causes, "recursion", edge->call,
                cn_strdup(cn_value_name(t->graph.nodes[edge->to].function, name, sizeof name)),
                cn_strdup("it is called again and again without a safepoint"), CN_WORK_UNKNOWN);
}

static void find_recursions_from(struct recursion_search *d, uint32_t root)
{
  CN_CHECK(d->state[root] == 0 && !d->path.count);
  d->state[root] = 1;
  cn_push(&d->path, root);
  while (d->path.count) {
    uint32_t n = d->path.at[d->path.count - 1];
    const struct function_record *r = &d->t->records[n];
    CN_ASSERT(d->state[n] == 1 && d->next[n] <= r->unpolled.count);
    if (d->next[n] == r->unpolled.count) {
      d->state[n] = 2;
      d->path.count--;
      continue;
    }
    const struct call_edge *edge = &r->unpolled.at[d->next[n]++];
    if (d->state[edge->to] == 1)
      add_recursion_cause(d->t, n, edge);
    if (d->state[edge->to] != 0)
      continue;
    d->state[edge->to] = 1;
    cn_push(&d->path, edge->to);
  }
}

static void find_all_recursions(struct timing_analysis *t)
{
  struct recursion_search d = {.t = t};

  d.state = cn_alloc(t->graph.count * sizeof *d.state);
  d.next = cn_alloc(t->graph.count * sizeof *d.next);
  for (uint32_t n = 0; n < t->graph.count; n++)
    if (d.state[n] == 0)
      find_recursions_from(&d, n);
  for (uint32_t n = 0; n < t->graph.count; n++)
    CN_ASSERT(d.state[n] == 2);
  cn_free(&d.path);
  free(d.state);
  free(d.next);
}

/* ---- the report ---- */

static void report_function_time(const struct timing_analysis *t, uint32_t node, cairn_time_handler *tell, void *env)
{
  LLVMValueRef function = t->graph.nodes[node].function;
  const struct function_record *r = &t->records[node];
  size_t length;
  unsigned part, line = LLVMGetDebugLocLine(function);
  char name[160];
  struct cairn_time time = {
      .function = LLVMGetValueName2(function, &length),
      .polls = r->all.polls,
      .enter = r->all.enter,
      .between = r->all.between,
      .leave = r->all.leave,
      .passes = r->all.passes,
      .through = r->all.through,
      .recursive = r->recursive,
      .nopoll = cn_string_attribute(function, CN_ATTR_NOPOLL) != NULL,
      .regions = r->regions,
      .causes = r->causes.at.at,
      .cause_count = r->causes.at.count,
  };

  if (!length)
    time.function = cn_value_name(function, name, sizeof name) + 1;
  if (line) {
    time.line = line;
    time.file = LLVMGetDebugLocFilename(function, &part);
    time.directory = LLVMGetDebugLocDirectory(function, &part);
  }
  tell(env, &time);
}

enum cairn_status cairn_time_to_safepoint(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          cairn_time_handler *tell, void *env)
{
  static const struct cairn_compile_options defaults;
  struct cn_ctx ctx = {.module = module,
                       .llvm = LLVMGetModuleContext(module),
                       .layout = LLVMGetModuleDataLayout(module),
                       .options = options ? options : &defaults};
  struct cn_reference_spaces before = cn_reference_spaces_enter(ctx.options);
  struct timing_analysis t = {.ctx = &ctx, .limit = (uint64_t)CAIRN_TIME_PER_US * 1000000};
  bool ok = true;

  if (ctx.options->poll_budget)
    t.limit = cn_work_between_safepoints_limit(&ctx);
  cn_callgraph_build(&t.graph, &ctx);
  t.records = cn_alloc(t.graph.count * sizeof *t.records);
  cn_work_find_user_slow_paths(&t.known, module);
  for (unsigned round = 0; round <= MAX_TIMING_ROUNDS && !time_all_functions(&t, round); round++)
    continue;
  count_unpolled_returns(&t);
  find_all_recursions(&t);
  for (uint32_t n = 0; n < t.graph.count; n++) {
    ok = ok && !t.records[n].causes.at.count;
    report_function_time(&t, n, tell, env);
    cn_causes_free(&t.records[n].causes);
    cn_free(&t.records[n].unpolled);
    cn_free(&t.records[n].returning);
  }
  free(t.records);
  cn_work_summaries_free(&t.known);
  cn_callgraph_free(&t.graph);
  cn_reference_spaces_leave(before);
  return ok ? CAIRN_OK : CAIRN_E_TIME;
}
