/* SPDX-License-Identifier: Apache-2.0
 *
 * Which form each loop of a function gets, so that it comes to a poll within the budget at the
 * least cost (docs/placement.md, "Loops"; late-insertion-slides-2014, future work): chunks, a copy
 * without polls, copies that poll once. Part of pass `place-safepoints`.
 *
 * Needs: nothing. Provides: loops that are cheap to poll in. Breaks: struct cn_cfg, cn_loops.
 */
#include <stdlib.h>
#include "base/vector.h"
#include "compile/chunk.h"
#include "compile/clone.h"
#include "compile/names.h"
#include "compile/nest.h"
#include "compile/regions.h"
#include "compile/twin.h"
#include "compile/unroll.h"

typedef CN_VECTOR(struct cn_chunk_candidate) candidate_vector;
typedef CN_VECTOR(struct cn_unroll) unroll_vector;

/* In a loop that is cut into chunks itself, each entry polls: else every trip of a chunk could do
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

static void tell(struct cn_ctx *ctx, const struct cn_chunk_candidate *c)
{
  if (c->twin)
    cn_remark(ctx, c->compare, "loop", "has a copy without polls for at most %lu trips",
              (unsigned long)c->trips);
  else
    cn_remark(ctx, c->compare, "loop", "cut into chunks of %lu trips, with a poll after each",
              (unsigned long)c->trips);
}

/* Those that nobody can count, at last: other loops do not change them. */
static void unroll(struct cn_ctx *ctx, LLVMValueRef function, unroll_vector *unrolls)
{
  bool demoted = false;

  for (size_t i = 0; i < unrolls->count; i++) {
    struct cn_unroll *u = &unrolls->at[i];
    demoted |= cn_leaving_demote(ctx, u->blocks, u->count);
    cn_remark(ctx, LLVMGetBasicBlockTerminator(u->blocks[0]), "loop",
              "unrolled, with a poll on every %u. trip", u->times);
    cn_unroll_build(ctx, u);
    free(u->blocks);
  }
  if (demoted)
    cn_leaving_promote(ctx, function);
  cn_free(unrolls);
}

/* The optimiser is to leave the function as it is: nothing would make values of locals again. */
static bool is_left_alone(LLVMValueRef function)
{
  return LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
}

/* Nests of small loops, outermost first and none in another. Not round what gets a twin itself. */
static void find_nests(struct cn_ctx *ctx, const struct cn_loops *loops, uint64_t small_work,
                       const candidate_vector *candidates, candidate_vector *nests)
{
  for (uint32_t l = loops->count; l-- > 0;) {
    struct cn_chunk_candidate c = {.loop = l};
    bool free_for = loops->at[l].inner;
    for (size_t i = 0; i < nests->count; i++)
      free_for &= !cn_loops_contain(loops, nests->at[i].loop, loops->at[l].header);
    for (size_t i = 0; i < candidates->count; i++)
      free_for &= candidates->at[i].loop != l &&
                  !(candidates->at[i].twin &&
                    cn_loops_contain(loops, l, loops->at[candidates->at[i].loop].header));
    if (free_for && cn_nest_fits(ctx, loops, l, small_work, &c)) {
      c.polls_first = is_in_chunks(loops, candidates, l);
      cn_push(nests, c);
    }
  }
}

static void find(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                 candidate_vector *nests, candidate_vector *candidates, unroll_vector *unrolls)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  cn_cfg_build(&cfg, function);
  cn_loops_find(&loops, &cfg);
  uint32_t *open = cn_regions_depths(ctx, &cfg);
  for (uint32_t l = 0; l < loops.count; l++) {
    struct cn_chunk_candidate c = {.loop = l};
    struct cn_unroll u;
    if (open && open[loops.at[l].header] != 0)
      continue;
    bool fits = cn_chunk_fits(ctx, &loops, l, small_work, &c);
    if (fits)
      cn_push(candidates, c);
    if ((!fits || c.unrolls) && loops.at[l].work > small_work && !cn_chunk_calls(&loops, l) &&
        !is_left_alone(function) && cn_unroll_fits(&loops, l, &u))
      cn_push(unrolls, u);
  }
  for (size_t i = 0; i < candidates->count; i++)
    candidates->at[i].polls_first = is_in_chunks(&loops, candidates, candidates->at[i].loop);
  if (!open && !is_left_alone(function))
    find_nests(ctx, &loops, small_work, candidates, nests);
  free(open);
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

void cn_chunk_loops(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                    struct cn_chunks *out)
{
  candidate_vector nests = {0}, candidates = {0};
  unroll_vector unrolls = {0};

  find(ctx, function, small_work, &nests, &candidates, &unrolls);
  for (size_t i = 0; i < nests.count; i++) {
    cn_remark(ctx, nests.at[i].compare, "loop",
              "has a copy in which the loops in it do not poll, for few trips of these");
    cn_nest_build(ctx, &nests.at[i], out);
  }
  cn_free(&nests);
  for (size_t i = 0; i < candidates.count; i++) {
    tell(ctx, &candidates.at[i]);
    if (candidates.at[i].twin)
      cn_twin_build(ctx, &candidates.at[i], out);
    else
      cn_chunk_build(ctx, &candidates.at[i], out);
    free(candidates.at[i].blocks);
  }
  cn_free(&candidates);
  unroll(ctx, function, &unrolls);
}
