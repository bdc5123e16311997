/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about the functions of a module, before and after they get polls; and the steps of place.c. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_PLACE_FUNCTION_FACTS_H
#define CN_COMPILE_PLACE_FUNCTION_FACTS_H

#include "compile/analysis/callgraph.h"
#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"
#include "compile/core/pass.h"
#include "compile/analysis/cfg.h"

struct cn_function_facts {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_summaries known; /* of finished functions */
};

void cn_function_facts_begin(struct cn_function_facts *facts, struct cn_ctx *ctx);
void cn_function_facts_end(struct cn_function_facts *facts);

/* True if `instruction` is a call that surely reaches a safepoint. */
bool cn_function_facts_call_polls(const struct cn_function_facts *facts, LLVMValueRef instruction);

/* True if `instruction` is a call that closes a call cycle and may miss every safepoint. */
bool cn_function_facts_closes_cycle(const struct cn_function_facts *facts, uint32_t caller, LLVMValueRef instruction);

/* True if calls of the function must have records: some have a deoptimisation state, a transition, an id or space for a
 * patch, or are statepoints already. */
bool cn_function_facts_needs_records(LLVMValueRef function);

/* True if `function` soon returns and reaches no safepoint. The function then gets the attribute. */
bool cn_function_facts_infer_leaf(struct cn_function_facts *facts, LLVMValueRef function);

/* Give `function`, which must stay free of safepoints ("cairn-nopoll"), the attribute if it calls only leaves and
 * functions of its kind. */
void cn_function_facts_infer_nopoll(struct cn_function_facts *facts, LLVMValueRef function);

/* Note for its callers that the function of `loops` polls at `sites`. */
void cn_function_facts_record_work(struct cn_function_facts *facts, const struct cn_loops *loops,
                                   const struct cn_poll_sites *sites);

/* Add to `sites` the entry poll, if the function needs it: each path polls before it closes a call cycle, and before it
 * has done more than CN_CALL_WORK if it may still return (entry_polls.c). */
void cn_entry_polls_add_site(const struct cn_function_facts *facts, const struct cn_loops *loops,
                             struct cn_poll_sites *sites);

/* Choose the forms of polls, before these are emitted (poll_forms.c). Polls in blocks of `seldom` run after as much
 * work as those of cn_poll_sites_add_rare(). */
void cn_poll_forms_choose(const struct cn_function_facts *facts, const struct cn_loops *loops,
                          const struct cn_ptrmap *seldom, struct cn_poll_sites *sites);
enum cn_poll_form cn_poll_forms_of(const struct cn_poll_sites *sites, LLVMValueRef at);

/* dispatch.c: places polls in interpreters with computed jumps. */

/* If an interpreter jumps to all its operations from block `latch`: add sites in the predecessors of `latch` for the
 * retreating edges out of `latch`. False leaves `sites` unchanged: `latch` is another kind of block, a predecessor
 * lacks a place for a poll, or the function has safepoint-free regions, is unoptimised, or is to be small. */
bool cn_dispatch_add_sites(struct cn_ctx *ctx, const struct cn_work_summaries *known, const struct cn_cfg *cfg,
                           uint32_t latch, struct cn_poll_sites *sites);

/* split_returns.c: returns before any call. */

/* Give paths through `function` that return before any call their own return. */
void cn_split_returns(struct cn_ctx *ctx, LLVMValueRef function);

/* long_path_polls.c: polls on long paths of short pieces. */

/* Add to `sites` the polls that keep the function of `loops` from more than cn_work_between_safepoints_limit() between
 * two safepoints. */
void cn_long_path_polls_add_sites(struct cn_ctx *ctx, const struct cn_loops *loops, struct cn_work_summaries *known,
                                  struct cn_poll_sites *sites);

/* recursion_polls.c: polls on the returns from a recursion. */

/* Add to `sites` the polls without which a recursion through the function of `loops` could return over several levels
 * without a safepoint (recursion_polls.c). */
void cn_recursion_polls_add_sites(const struct cn_function_facts *facts, const struct cn_loops *loops,
                                  struct cn_poll_sites *sites);

/* return_polls.c: polls where a function is left. */

/* Give calls in tail position their own return if they share one with blocks that return after other work. A poll
 * before the shared return then follows only other work. */
void cn_return_polls_split_tail_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* The instruction of block `b` that a return poll stands before; null if the block does not return, or returns only the
 * results of tail calls. */
LLVMValueRef cn_return_polls_site_of(const struct cn_cfg *cfg, uint32_t b);

/* The call of `block` that becomes a jump, or null. */
LLVMValueRef cn_return_polls_find_tail_call(LLVMBasicBlockRef block);

#endif
