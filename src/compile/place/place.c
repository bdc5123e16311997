/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass place-safepoints: places polls (statepoints-later, "PlaceSafepoints"). The pass leaves parse points unchanged:
 * rewrite-statepoints turns each call that cn_classify_call() calls a parse point into a statepoint.
 *
 * Needs: any module. Provides: a poll on each cycle of blocks, on each cycle of calls and on each long path, unless the
 * work is provably small or a callee surely polls (docs/placement.md); the attributes "gc-leaf-function", "cairn-polls"
 * and "cairn-work" of functions; at latches of chunks and copies, the bound of the loop, for verify-safepoints; or an
 * error and an unchanged module, if a safepoint-free interval has a safepoint or the module's own poll is unusable.
 * Breaks: struct cn_cfg; loops are cut into chunks, copied and unrolled (choose_form.c); returns and long calls are
 * split.
 *
 * The pass skips functions with statepoints, which have polls already, and functions with "cairn-nopoll" or
 * "gc-leaf-function", which must stay free of safepoints because callers treat them as leaves.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/loops.h"
#include "compile/cost/cost.h"
#include "compile/markers/markers.h"
#include "compile/place/function_facts.h"
#include "compile/place/long_calls.h"
#include "compile/place/loops/loop_forms.h"
#include "compile/place/poll.h"

struct placer {
  struct cn_ctx *ctx;
  unsigned chosen; /* bits of enum cairn_polls */
  struct cn_poll_emitter polls;
  struct cn_function_facts facts;
};

static bool is_poll_kind_chosen(const struct placer *p, enum cairn_polls at)
{
  return p->chosen >> at & 1;
}

/* The places of polls that the options ask for: bits of enum cairn_polls. */
static unsigned chosen_poll_kinds(const struct cairn_compile_options *options)
{
  static const unsigned initially =
#define CAIRN_POLLS_AT(constant, name, on, help) (unsigned)(on) << CAIRN_POLLS_AT_##constant |
#include <cairn/polls.def>
#undef CAIRN_POLLS_AT
      0;

  return options->polls ? options->polls & ~CAIRN_POLLS_NONE : initially;
}

/* ---- choice of functions ---- */

/* True if `function` is a managed definition that may get polls: it lacks statepoints, and is neither marked as a leaf,
 * nor naked, nor the module's own poll. */
static bool is_pollable_function(LLVMValueRef function)
{
  size_t length;
  unsigned naked = cn_attribute_kind("naked");

  return !LLVMIsDeclaration(function) && cn_is_managed(function) &&
         strcmp(LLVMGetValueName2(function, &length), CN_USER_POLL) != 0 &&
         !cn_string_attribute(function, CN_ATTR_LEAF) &&
         !LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, naked) && !cn_has_statepoints(function);
}

static bool wants_polls(LLVMValueRef function)
{
  return is_pollable_function(function) && !cn_nopoll_has_attribute(function);
}

/* Visit callees before callers: a function that calls only leaves may be a leaf itself. With early insertion only the
 * functions that must stay free of safepoints become leaves. LLVM would inline other leaves, because their calls are
 * ordinary calls, and hide references in pieces of locals that the statepoints omit. */
static void find_leaves(struct placer *p)
{
  const struct cn_callgraph *graph = &p->facts.graph;
  bool wanted = is_poll_kind_chosen(p, CAIRN_POLLS_AT_CALL) && p->ctx->options->safepoints != CAIRN_SAFEPOINTS_EARLY;

  for (uint32_t n = 0; n < graph->count; n++) {
    LLVMValueRef f = graph->nodes[graph->order[n]].function;
    if (!is_pollable_function(f))
      continue;
    if (cn_nopoll_has_attribute(f))
      cn_function_facts_infer_nopoll(&p->facts, f);
    else if (wanted && cn_function_facts_infer_leaf(&p->facts, f))
      cn_remark(p->ctx, f, "leaf", "a leaf: it never comes to a safepoint, so its calls need no record");
  }
}

/* ---- loops ---- */

/* By block: one plus the index of the nearest polling block among the block and its dominators; CN_NO_BLOCK if all of
 * these lack polls; 0 before the search. The cache may miss sites and facts that are added after the search. */
struct polling_block_cache {
  const struct placer *p;
  const struct cn_loops *loops;
  const struct cn_poll_sites *sites;
  uint32_t *nearest;
};

static struct polling_block_cache make_polling_block_cache(const struct placer *p, const struct cn_loops *loops,
                                                           const struct cn_poll_sites *sites)
{
  uint32_t *nearest = cn_alloc(loops->cfg->count * sizeof *nearest);

  return (struct polling_block_cache){.p = p, .loops = loops, .sites = sites, .nearest = nearest};
}

/* True if the block polls: at a site, in a call that polls, or in an allocation at its end. */
static bool has_poll(const struct polling_block_cache *pollers, uint32_t b)
{
  const struct cn_cfg *cfg = pollers->loops->cfg;
  const struct cn_function_facts *facts = &pollers->p->facts;

  CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
    if (cn_function_facts_call_polls(facts, i) || cn_ptrmap_find(&pollers->sites->seen, i))
      return true;
  return cn_work_block_ends_in_poll(&facts->known, cfg, b);
}

static uint32_t nearest_polling_block(const struct polling_block_cache *pollers, uint32_t b)
{
  const struct cn_cfg_block *blocks = pollers->loops->cfg->blocks;
  uint32_t *nearest = pollers->nearest, top = b;

  CN_ASSERT(b < pollers->loops->cfg->count);
  while (!nearest[top]) {
    if (has_poll(pollers, top))
      nearest[top] = top + 1;
    else if (top == 0)
      nearest[top] = CN_NO_BLOCK;
    else
      top = blocks[top].idom;
  }
  for (uint32_t i = b; i != top; i = blocks[i].idom)
    nearest[i] = nearest[top];
  return nearest[b];
}

/* Record that the blocks of the sites from index `from` on poll. Entries of blocks that these blocks dominate are
 * computed later, except the entry of a latch whose poll is in a dominator. */
static void add_polling_blocks(struct polling_block_cache *pollers, const struct cn_poll_sites *sites, size_t from)
{
  for (size_t i = from; i < sites->list.count; i++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(sites->list.at[i]);
    uint32_t b = cn_cfg_index_of(pollers->loops->cfg, block);
    CN_CHECK(b != CN_NO_BLOCK);
    pollers->nearest[b] = b + 1;
  }
}

/* True if every path from the header `to` to the end of block `b` polls in a block that all these paths share: in `b`
 * or a dominator of `b`, up to the header. */
static bool has_poll_on_each_path(const struct polling_block_cache *pollers, uint32_t to, uint32_t b)
{
  uint32_t nearest = nearest_polling_block(pollers, b);

  return nearest != CN_NO_BLOCK && cn_cfg_dominates(pollers->loops->cfg, to, nearest - 1);
}

/* True if the block ends in a retreating edge that needs a poll. A retreating edge of a natural or irreducible loop
 * needs a poll unless the loop does little work or already polls in each iteration. */
static bool needs_poll_at_latch(const struct polling_block_cache *pollers, uint32_t b)
{
  const struct cn_loops *loops = pollers->loops;
  const struct cn_cfg *cfg = loops->cfg;

  for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
    uint32_t to = cfg->blocks[b].succs[s];
    if (!cn_cfg_is_retreating_edge(b, to))
      continue;
    if (!cn_cfg_dominates(cfg, to, b))
      return true;
    CN_CHECK(loops->of[to] != CN_NO_BLOCK && loops->at[loops->of[to]].header == to);
    bool called = is_poll_kind_chosen(pollers->p, CAIRN_POLLS_AT_CALL) && has_poll_on_each_path(pollers, to, b);
    if (loops->at[loops->of[to]].work > CN_SMALL_WORK && !called)
      return true;
  }
  return false;
}

/* Attach to latch `b` the bound `work` of its loop for verify-safepoints, which cannot compute the bound. */
static void mark_loop_as_bounded(struct cn_ctx *ctx, LLVMBasicBlockRef b, uint64_t work)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_BOUNDED, sizeof CN_BOUNDED - 1);
  LLVMValueRef number = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), work, false);
  CN_CHECK(work != CN_WORK_UNKNOWN);
  LLVMMetadataRef operand = LLVMValueAsMetadata(number);
  LLVMMetadataRef node = LLVMMDNodeInContext2(ctx->llvm, &operand, 1);

  LLVMSetMetadata(LLVMGetBasicBlockTerminator(b), kind, LLVMMetadataAsValue(ctx->llvm, node));
}

/* Emit a remark with the reason why the retreating edge out of block `b` needs no poll. */
static void remark_unpolled_loop(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t b)
{
  const struct cn_cfg_block *block = &loops->cfg->blocks[b];
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  for (uint32_t s = 0; s < block->succ_count; s++) {
    if (!cn_cfg_is_retreating_edge(b, block->succs[s]))
      continue;
    CN_ASSERT(loops->of[block->succs[s]] != CN_NO_BLOCK);
    uint64_t work = loops->at[loops->of[block->succs[s]]].work;
    if (work <= CN_SMALL_WORK)
      cn_remark(ctx, end, "loop", "no poll: in all its passes it does at most %lu units of work", (unsigned long)work);
    else
      cn_remark(ctx, end, "loop",
                "no poll: each iteration calls a function that polls, allocates, or runs a loop that polls");
    return;
  }
}

static void remark_missing_entry_poll(struct placer *p, LLVMValueRef function, size_t count)
{
  if (!count && is_poll_kind_chosen(p, CAIRN_POLLS_AT_ENTRY))
    cn_remark(p->ctx, function, "poll", "no poll on entry: whatever way it takes, it soon polls otherwise or returns");
}

static void add_latch_sites(struct placer *p, const struct cn_loops *loops, const struct cn_loop_form_polls *mines,
                            struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct polling_block_cache pollers = make_polling_block_cache(p, loops, sites);

  for (uint32_t b = 0; b < cfg->count; b++) {
    LLVMBasicBlockRef block = cfg->blocks[b].block;
    const uint64_t *bounded = cn_ptrmap_find(&mines->bounded, block);
    if (bounded)
      mark_loop_as_bounded(p->ctx, block, *bounded);
    if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_BACKEDGE) &&
        (cn_ptrmap_find(&mines->first, block) ||
         (!bounded && !cn_ptrmap_find(&mines->polled, block) && needs_poll_at_latch(&pollers, b)))) {
      size_t before = sites->list.count;
      sites->reason = cn_ptrmap_find(&mines->seldom, block)  ? "polls between the chunks of a loop"
                      : cn_ptrmap_find(&mines->first, block) ? "polls at the start of a loop nest or of its chunks"
                                                             : "polls at the latch of a loop";
      if (!cn_dispatch_add_sites(p->ctx, &p->facts.known, cfg, b, sites))
        cn_poll_sites_add_latch(sites, p->ctx, loops, b);
      add_polling_blocks(&pollers, sites, before);
    } else if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_BACKEDGE) && !bounded && !cn_ptrmap_find(&mines->polled, block)) {
      remark_unpolled_loop(p->ctx, loops, b);
    }
    sites->reason = "polls before the function returns";
    if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_RETURN))
      cn_poll_sites_add(sites, cn_return_polls_site_of(cfg, b));
    sites->reason = "polls before a tail call";
    if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_TAIL_CALL))
      cn_poll_sites_add(sites, cn_return_polls_find_tail_call(block));
  }
  free(pollers.nearest);
}

static LLVMValueRef find_self_call(const struct placer *p, const struct cn_cfg *cfg, uint32_t b)
{
  CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
    if (LLVMIsACallInst(i) && cn_callgraph_target_of_call(p->ctx, i) == cfg->function)
      return i;
  return NULL;
}

/* True if block `b` runs in each iteration of a loop that needs a poll. `polled` is the nearest dominator of `b` that
 * got a poll for a self-call, or CN_NO_BLOCK; a loop that contains `polled` already polls in each iteration. */
static bool is_on_each_loop_iteration(const struct polling_block_cache *pollers, uint32_t b, uint32_t polled)
{
  const struct cn_loops *loops = pollers->loops;

  for (uint32_t l = loops->of[b]; l != CN_NO_BLOCK && cn_loop_always_runs_block(loops, l, b); l = loops->at[l].parent) {
    const struct cn_cfg_block *header = &loops->cfg->blocks[loops->at[l].header];
    if (polled != CN_NO_BLOCK && cn_cfg_dominates(loops->cfg, loops->at[l].header, polled))
      return false;
    for (uint32_t i = 0; i < header->pred_count; i++)
      if (cn_loop_contains_block(loops, l, header->preds[i]) && needs_poll_at_latch(pollers, header->preds[i]))
        return true;
  }
  return false;
}

/* Poll before a self-call that each iteration of a loop makes; the optimiser turns recursions into such loops. One poll
 * before the call serves both the loop and the call. An entry poll would run before the test that ends the recursion,
 * so that each leaf of the recursion would poll and save registers for the poll. */
static void add_self_call_sites(struct placer *p, const struct cn_loops *loops, struct cn_poll_sites *sites)
{
  const struct cn_cfg *cfg = loops->cfg;
  struct polling_block_cache pollers = make_polling_block_cache(p, loops, sites);
  uint32_t *polled = cn_alloc(cfg->count * sizeof *polled); /* by block, as in is_on_each_loop_iteration() */

  sites->reason = "polls here, for the call of itself and the loop round it";
  for (uint32_t b = 0; b < cfg->count; b++) {
    LLVMValueRef call = find_self_call(p, cfg, b);
    polled[b] = b ? polled[cfg->blocks[b].idom] : CN_NO_BLOCK;
    if (!call || !is_on_each_loop_iteration(&pollers, b, polled[b]))
      continue;
    cn_poll_sites_add(sites, call);
    polled[b] = b;
  }
  free(polled);
  free(pollers.nearest);
}

/* Add entry polls. Without polls at calls, entry polls are at the places that LLVM's pass chooses. */
static void add_entry_sites(struct placer *p, const struct cn_loops *loops, struct cn_poll_sites *sites)
{
  sites->reason = "polls on entry";
  if (!is_poll_kind_chosen(p, CAIRN_POLLS_AT_ENTRY))
    return;
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_CALL))
    cn_entry_polls_add_site(&p->facts, loops, sites);
  else
    cn_poll_sites_add(sites, cn_poll_site_at_entry(p->ctx, loops->cfg, NULL));
}

static void move_sites_to_front(struct cn_poll_sites *sites, size_t from)
{
  CN_CHECK(from <= sites->list.count);
  for (size_t i = from; i < sites->list.count; i++) {
    LLVMValueRef site = sites->list.at[i];
    memmove(&sites->list.at[i - from + 1], &sites->list.at[i - from], from * sizeof site);
    sites->list.at[i - from] = site;
  }
}

static void gather_poll_sites(struct placer *p, LLVMValueRef function, const struct cn_loop_form_polls *mines,
                              struct cn_poll_sites *sites)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&loops, &cfg);
  cn_poll_sites_begin(sites, p->ctx, &cfg);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_ENTRY) && is_poll_kind_chosen(p, CAIRN_POLLS_AT_CALL))
    add_self_call_sites(p, &loops, sites);
  add_latch_sites(p, &loops, mines, sites);
  size_t latches = sites->list.count;
  add_entry_sites(p, &loops, sites);
  move_sites_to_front(sites, latches);
  remark_missing_entry_poll(p, function, sites->list.count - latches);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_ENTRY) && is_poll_kind_chosen(p, CAIRN_POLLS_AT_CALL) &&
      cn_is_placement_option_on(p->ctx, CAIRN_PLACEMENT_RECURSIONS))
    cn_recursion_polls_add_sites(&p->facts, &loops, sites);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_BACKEDGE) && cn_is_placement_option_on(p->ctx, CAIRN_PLACEMENT_LONG_PATHS))
    cn_long_path_polls_add_sites(p->ctx, &loops, &p->facts.known, sites);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_CALL))
    cn_function_facts_record_work(&p->facts, &loops, sites);
  CN_ASSERT_VALID(cn_poll_sites_wrong(sites));
  cn_poll_forms_choose(&p->facts, &loops, &mines->seldom, sites);
  if (cn_is_placement_option_on(p->ctx, CAIRN_PLACEMENT_SELECTS))
    cn_selects_keep(p->ctx, &loops, sites);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

/* ---- functions ---- */

/* Emit the polls of consecutive sites in one block from the last to the first, because a poll moves the code after it
 * to another block. Each site gets a poll, since all sites are outside safepoint-free intervals. */
static void emit_polls(struct placer *p, const struct cn_poll_sites *sites)
{
  const LLVMValueRef *at = sites->list.at;
  unsigned before = p->polls.count;

  for (size_t i = 0, end; i < sites->list.count; i = end) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at[i]);
    for (end = i + 1; end < sites->list.count && LLVMGetInstructionParent(at[end]) == block;)
      end++;
    for (size_t k = end; k-- > i;)
      cn_poll_emit(&p->polls, at[k], cn_poll_forms_of(sites, at[k]), cn_poll_sites_reason_of(sites, at[k]));
  }
  CN_ASSERT(p->polls.count == before + sites->list.count);
}

static void place_polls_in_function(struct placer *p, LLVMValueRef function)
{
  const struct cairn_compile_options *options = p->ctx->options;
  bool fast = options->opt_level > 0 && options->size_level == 0;
  bool early = fast && cn_is_placement_option_on(p->ctx, CAIRN_PLACEMENT_EARLY_RETURNS);
  struct cn_loop_form_polls mines = {0};
  struct cn_poll_sites sites = {0};

  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_BACKEDGE) && cn_is_placement_option_on(p->ctx, CAIRN_PLACEMENT_LONG_CALLS))
    cn_long_calls_cut(p->ctx, function, &p->polls, &mines.polled);
  cn_step_check_after(p->ctx, function, "long calls", NULL, 0);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_BACKEDGE) && fast)
    cn_choose_loop_forms(p->ctx, function, CN_SMALL_WORK, &mines);
  if (is_poll_kind_chosen(p, CAIRN_POLLS_AT_RETURN))
    cn_return_polls_split_tail_calls(p->ctx, function);
  if (early)
    cn_split_returns(p->ctx,
                     function); /* split returns first: an early return then stays separate from a loop's exit */
  cn_step_check_after(p->ctx, function, "parted returns", NULL, 0);
  gather_poll_sites(p, function, &mines, &sites);
  emit_polls(p, &sites);
  cn_step_check_after(p->ctx, function, "polls", NULL, 0);
  if (early)
    cn_split_returns(p->ctx, function);
  cn_step_check_after(p->ctx, function, "early returns", NULL, 0);
  cn_poll_sites_free(&sites);
  cn_ptrmap_free(&mines.bounded);
  cn_ptrmap_free(&mines.first);
  cn_ptrmap_free(&mines.polled);
  cn_ptrmap_free(&mines.seldom);
}

static bool place_polls_in_module(struct placer *p)
{
  const struct cn_callgraph *graph = &p->facts.graph;
  bool any = LLVMGetNamedFunction(p->ctx->module, CN_USER_POLL) != NULL;

  find_leaves(p);
  if (!cn_nopoll_check(p->ctx))
    return false;
  for (uint32_t n = 0; n < graph->count; n++)
    any |= wants_polls(graph->nodes[n].function);
  bool ok = !any || cn_polls_begin(&p->polls, p->ctx);
  for (uint32_t n = 0; ok && n < graph->count; n++) {
    LLVMValueRef f = graph->nodes[graph->order[n]].function;
    if (wants_polls(f))
      place_polls_in_function(p, f);
  }
  return ok && (!any || cn_polls_end(&p->polls));
}

static bool place_polls(struct cn_ctx *ctx)
{
  struct placer placer = {.ctx = ctx, .chosen = chosen_poll_kinds(ctx->options)};

  cn_function_facts_begin(&placer.facts, ctx);
  bool ok = place_polls_in_module(&placer);
  cn_function_facts_end(&placer.facts);
  return ok;
}

/* True if the module defines another function or a variable with the name of a function that polls call. */
static bool is_name_taken(struct cn_ctx *ctx, const char *name)
{
  return LLVMGetNamedFunction(ctx->module, name) || LLVMGetNamedGlobal(ctx->module, name) ||
         LLVMGetNamedGlobalAlias(ctx->module, name, strlen(name));
}

/* Do a dry run if the pass may fail after changes: LLVM's inliner may refuse to insert the module's own poll.
 * Safepoint-free intervals are checked after all leaves are found. */
bool cn_place_safepoints(struct cn_ctx *ctx)
{
  return LLVMGetNamedFunction(ctx->module, CN_USER_POLL) || cn_nopoll_is_used_in_module(ctx) ||
                 is_name_taken(ctx, CN_POLL_SLOW) || is_name_taken(ctx, CN_POLL)
             ? cn_dry_run(ctx, place_polls)
             : place_polls(ctx);
}
