/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about the functions of a module, before and after they get polls. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_FUNCTION_FACTS_H
#define CN_COMPILE_PLACE_FUNCTION_FACTS_H

#include "compile/analysis/callgraph.h"
#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"

struct cn_function_facts {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_known known; /* of finished functions */
};

void cn_function_facts_begin(struct cn_function_facts *facts, struct cn_ctx *ctx);
void cn_function_facts_end(struct cn_function_facts *facts);

/* True if `instruction` is a call that surely reaches a safepoint. */
bool cn_function_facts_polls(const struct cn_function_facts *facts, LLVMValueRef instruction);

/* True if `instruction` is a call that closes a call cycle and may miss every safepoint. */
bool cn_function_facts_closes(const struct cn_function_facts *facts, uint32_t caller, LLVMValueRef instruction);

/* True if calls of the function must have records: some have a deoptimisation state, a transition, an id or space for a
 * patch, or are statepoints already. */
bool cn_function_facts_are_recorded(LLVMValueRef function);

/* True if `function` soon returns and reaches no safepoint. The function then gets the attribute. */
bool cn_function_facts_leaf(struct cn_function_facts *facts, LLVMValueRef function);

/* Give `function`, which must stay free of safepoints ("cairn-nopoll"), the attribute if it calls only leaves and
 * functions of its kind. */
void cn_function_facts_quiet(struct cn_function_facts *facts, LLVMValueRef function);

/* Note for its callers that the function of `loops` polls at `sites`. */
void cn_function_facts_learn(struct cn_function_facts *facts, const struct cn_loops *loops,
                             const struct cn_poll_sites *sites);

/* Add to `sites` the entry poll, if the function needs it: each path polls before it closes a call cycle, and before it
 * has done more than CN_CALL_WORK if it may still return (entry_polls.c). */
void cn_entry_polls_find(const struct cn_function_facts *facts, const struct cn_loops *loops,
                         struct cn_poll_sites *sites);

/* Choose the forms of polls, before these are emitted (poll_forms.c). Polls in blocks of `seldom` run after as much
 * work as those of cn_poll_sites_add_seldom(). */
void cn_poll_forms_choose(const struct cn_function_facts *facts, const struct cn_loops *loops,
                          const struct cn_ptrmap *seldom, struct cn_poll_sites *sites);
enum cn_poll_form cn_poll_forms_of(const struct cn_poll_sites *sites, LLVMValueRef at);

#endif
