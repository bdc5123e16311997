/* SPDX-License-Identifier: Apache-2.0
 *
 * Which form each loop of a function gets, so that it comes to a poll within the budget at the
 * least cost (docs/placement.md, "Loops"; late-insertion-slides-2014, future work): chunks, a copy
 * without polls, copies that poll once. Part of pass `place-safepoints`.
 *
 * Needs: nothing. Provides: loops that are cheap to poll in. Breaks: struct cn_cfg, cn_loops.
 */
#include <stdlib.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/vector.h"
#include "compile/core/names.h"
#include "compile/markers/nopoll.h"
#include "compile/place/loops/loop_forms.h"
#include "compile/place/loops/unroll.h"
#include "compile/place/loops/version.h"
#include "compile/place/loops/version_nest.h"

typedef CN_VECTOR(struct cn_countable_loop) candidate_vector;

/* The new forms of a function's loops, in the order in which they are made. */
struct forms {
  candidate_vector nests, candidates; /* versions and strip-mines */
  CN_VECTOR(struct cn_unroll) unrolls;
};

/* Is it in a strip-mined loop? Then each entry polls: else every trip of the outer chunk could do
 * an inner chunk's work. */
static bool is_in_chunks(const struct cn_loops *loops, const candidate_vector *candidates,
                         uint32_t loop)
{
  for (uint32_t l = loops->at[loop].parent; l != CN_NO_BLOCK; l = loops->at[l].parent)
    for (size_t i = 0; i < candidates->count; i++)
      if (candidates->at[i].loop == l)
        return true;
  return false;
}

static void tell(struct cn_ctx *ctx, const struct cn_countable_loop *c)
{
  if (c->versioned)
    cn_remark(ctx, c->compare, "loop", "has a copy without polls for at most %lu trips",
              (unsigned long)c->trips);
  else
    cn_remark(ctx, c->compare, "loop", "cut into chunks of %lu trips, with a poll after each",
              (unsigned long)c->trips);
}

/* Do LLVM's passes leave the function as it is? Then none puts it into LCSSA form. */
static bool is_left_alone(LLVMValueRef function)
{
  return LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
}

/* Nests of small loops, outermost first, none in another, and none around a loop that gets a
 * version itself. */
static void find_nests(struct cn_ctx *ctx, const struct cn_loops *loops, uint64_t small_work,
                       const candidate_vector *candidates, candidate_vector *nests)
{
  for (uint32_t l = loops->count; l-- > 0;) {
    struct cn_countable_loop c = {.loop = l};
    bool free_for = loops->at[l].inner;
    for (size_t i = 0; i < nests->count; i++)
      free_for &= !cn_loops_contain(loops, nests->at[i].loop, loops->at[l].header);
    for (size_t i = 0; i < candidates->count; i++)
      free_for &= candidates->at[i].loop != l &&
                  !(candidates->at[i].versioned &&
                    cn_loops_contain(loops, l, loops->at[candidates->at[i].loop].header));
    if (free_for && cn_version_nest_fits(ctx, loops, l, small_work, &c)) {
      c.polls_first = is_in_chunks(loops, candidates, l);
      cn_push(nests, c);
    }
  }
}

/* Is the loop worth chunks, or a version that does not poll? */
static bool fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                 uint64_t small_work, struct cn_countable_loop *c)
{
  if (!cn_countable_fits(ctx, loops, loop, small_work, c))
    return false;
  c->versioned = cn_placement_on(ctx, CAIRN_PLACEMENT_VERSIONS) &&
                 cn_version_fits(loops, loop, c->products, c);
  return c->versioned ||
         (!c->products && !c->unrolls && cn_placement_on(ctx, CAIRN_PLACEMENT_CHUNKS));
}

static void find(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                 struct forms *forms)
{
  candidate_vector *candidates = &forms->candidates;
  bool copies = !is_left_alone(function);
  struct cn_cfg cfg;
  struct cn_loops loops;

  cn_cfg_build(&cfg, function);
  cn_loops_find(&loops, &cfg);
  uint32_t *open = cn_nopoll_depths(ctx, &cfg);
  for (uint32_t l = 0; l < loops.count; l++) {
    struct cn_countable_loop c = {.loop = l};
    struct cn_unroll u;
    if (open && open[loops.at[l].header] != 0)
      continue;
    bool worth = fits(ctx, &loops, l, small_work, &c);
    if (worth && (copies || !c.versioned))
      cn_push(candidates, c);
    else if (worth)
      free(c.blocks);
    CN_ASSERT(!worth || (c.trips && c.header == cfg.blocks[loops.at[l].header].block));
    if ((!worth || c.unrolls) && loops.at[l].work > small_work && !cn_countable_calls(&loops, l) &&
        copies && cn_placement_on(ctx, CAIRN_PLACEMENT_UNROLL) &&
        cn_unroll_fits(ctx, &loops, l, &u))
      cn_push(&forms->unrolls, u);
  }
  for (size_t i = 0; i < candidates->count; i++)
    candidates->at[i].polls_first = is_in_chunks(&loops, candidates, candidates->at[i].loop);
  if (!open && copies && cn_placement_on(ctx, CAIRN_PLACEMENT_NESTS))
    find_nests(ctx, &loops, small_work, candidates, &forms->nests);
  free(open);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

/* Put the function into LCSSA form: copies of a loop can then feed the phis after it, and the start
 * and bound of a later loop stay the same values. */
static void close_loops(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  cn_llvm_ok(ctx, function, LLVMRunPassesOnFunction(function, "lcssa", ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
}

static bool has_copies(const struct forms *forms)
{
  bool any = false;

  for (size_t i = 0; i < forms->candidates.count; i++)
    any |= forms->candidates.at[i].versioned;
  return any || forms->nests.count || forms->unrolls.count;
}

static void drop(struct forms *forms)
{
  for (size_t i = 0; i < forms->nests.count; i++)
    cn_version_nest_free(&forms->nests.at[i]);
  for (size_t i = 0; i < forms->candidates.count; i++)
    free(forms->candidates.at[i].blocks);
  for (size_t i = 0; i < forms->unrolls.count; i++)
    free(forms->unrolls.at[i].blocks);
  cn_free(&forms->nests);
  cn_free(&forms->candidates);
  cn_free(&forms->unrolls);
}

/* Unroll last: the other forms do not change loops that cannot be counted. */
static void build(struct cn_ctx *ctx, struct forms *forms, struct cn_strip_mines *out)
{
  for (size_t i = 0; i < forms->nests.count; i++) {
    cn_remark(ctx, forms->nests.at[i].compare, "loop",
              "has a copy in which the loops in it do not poll, for few trips of these");
    CN_CHECK(forms->nests.at[i].nest);
    cn_version_build(ctx, &forms->nests.at[i], out);
  }
  for (size_t i = 0; i < forms->candidates.count; i++) {
    struct cn_countable_loop *c = &forms->candidates.at[i];
    CN_CHECK(c->trips && c->work && !c->nest);
    tell(ctx, c);
    if (c->versioned)
      cn_version_build(ctx, c, out);
    else
      cn_strip_mine_build(ctx, c, out);
  }
  for (size_t i = 0; i < forms->unrolls.count; i++) {
    const struct cn_unroll *u = &forms->unrolls.at[i];
    CN_ASSERT(u->count && u->times > 1);
    cn_remark(ctx, LLVMGetBasicBlockTerminator(u->blocks[0]), "loop",
              "unrolled, with a poll on every %u. trip", u->times);
    cn_unroll_build(ctx, u);
  }
}

void cn_choose_loop_forms(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                          struct cn_strip_mines *out)
{
  struct forms forms = {0};

  find(ctx, function, small_work, &forms);
  if (has_copies(&forms)) {
    drop(&forms);
    close_loops(ctx, function);
    find(ctx, function, small_work, &forms);
  }
  build(ctx, &forms, out);
  drop(&forms);
}
