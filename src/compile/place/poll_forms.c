/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the form of each poll of a function: fast code for polls that may run often, small code for polls that rarely
 * run. Part of pass `place-safepoints`.
 *
 * Needs: all sites. Provides: the form of each (enum cn_poll_form): slow call at the function's end, slow call in
 * place, or call of the stub. Breaks: nothing.
 *
 * A call of the stub takes two instructions more than a poll in line. Only polls that rarely run call the stub
 * (docs/placement.md, "What a poll is"). At -O2 other polls have the slow call in place, except in loops without calls
 * that may collect, and in functions that close a cycle of direct calls: fib takes 1.4 times as long with a branch past
 * the slow call before each of its calls.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/cost/cost.h"
#include "compile/place/function_facts.h"

/* True if the block is in a loop without parse points and without fills of unknown length. */
static bool is_in_loop_without_calls(const struct cn_loops *loops, uint32_t b)
{
  uint32_t l = loops->of[b];

  return l != CN_NO_BLOCK && !loops->at[l].calls;
}

/* True if a direct call in the function closes a call cycle, so that the function may be a short recursion. */
static bool is_recursive(const struct cn_function_facts *facts, const struct cn_cfg *cfg)
{
  uint32_t node = cn_callgraph_find_node(&facts->graph, cfg->function);

  CN_CHECK(node != CN_NO_NODE);
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      LLVMValueRef callee = cn_is_call(i) ? cn_callgraph_target_of_call(facts->ctx, i) : NULL;
      if (cn_callgraph_find_node(&facts->graph, callee) != CN_NO_NODE &&
          cn_callgraph_call_closes_cycle(&facts->graph, node, callee))
        return true;
    }
  return false;
}

void cn_poll_forms_choose(const struct cn_function_facts *facts, const struct cn_loops *loops,
                          const struct cn_ptrmap *seldom, struct cn_poll_sites *sites)
{
  bool *rare = cn_alloc(loops->cfg->count * sizeof *rare);
  bool small = facts->ctx->options->opt_level == 2 && !is_recursive(facts, loops->cfg);

  cn_find_rare_blocks(loops, rare);
  for (size_t i = 0; i < sites->list.count; i++) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(sites->list.at[i]);
    uint32_t b = cn_cfg_index_of(loops->cfg, block);
    uint64_t *form = cn_ptrmap_find(&sites->seen, sites->list.at[i]);
    CN_CHECK(b != CN_NO_BLOCK && form);
    if (rare[b] || cn_ptrmap_find(seldom, block))
      *form = CN_POLL_FORM_STUB_CALL;
    else if (*form == CN_POLL_FORM_AT_FUNCTION_END && small && !is_in_loop_without_calls(loops, b))
      *form = CN_POLL_FORM_IN_PLACE;
  }
  free(rare);
}

enum cn_poll_form cn_poll_forms_of(const struct cn_poll_sites *sites, LLVMValueRef at)
{
  const uint64_t *form = cn_ptrmap_find(&sites->seen, at);

  CN_CHECK(form && *form <= CN_POLL_FORM_STUB_CALL);
  return (enum cn_poll_form) * form;
}
