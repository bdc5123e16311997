/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of the functions of a module, before and after they get polls. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_PLACE_FUNCTION_FACTS_H
#define CN_COMPILE_PLACE_FUNCTION_FACTS_H

#include "compile/analysis/callgraph.h"
#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"

struct cn_function_facts {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_known known; /* of functions that are done */
};

void cn_function_facts_begin(struct cn_function_facts *facts, struct cn_ctx *ctx);
void cn_function_facts_end(struct cn_function_facts *facts);

/* Is `instruction` a call that surely comes to a safepoint? */
bool cn_function_facts_polls(const struct cn_function_facts *facts, LLVMValueRef instruction);

/* True if `instruction` is a call that closes a call cycle and possibly reaches no safepoint. */
bool cn_function_facts_closes(const struct cn_function_facts *facts, uint32_t caller, LLVMValueRef instruction);

/* Must calls of the function have records: have some a deoptimisation state or a transition, an id
 * or room for a patch, or are they statepoints already? */
bool cn_function_facts_are_recorded(LLVMValueRef function);

/* Does `function` never reach a safepoint, and soon return? Then it gets the attribute. */
bool cn_function_facts_leaf(struct cn_function_facts *facts, LLVMValueRef function);

/* Give `function`, which must not reach a safepoint ("cairn-nopoll"), the attribute if it calls
 * leaves only. */
void cn_function_facts_quiet(struct cn_function_facts *facts, LLVMValueRef function);

/* Note for its callers that the function of `loops` polls at `sites`. */
void cn_function_facts_learn(struct cn_function_facts *facts, const struct cn_loops *loops,
                             const struct cn_poll_sites *sites);

/* Add to `sites` the polls without which a call of the function could do more than CN_CALL_WORK, or
 * close a call cycle, before a safepoint (entry_polls.c). */
void cn_entry_polls_find(const struct cn_function_facts *facts, const struct cn_loops *loops,
                         struct cn_poll_sites *sites);

/* Before polls are emitted: choose their forms (poll_forms.c). Those in blocks of `seldom` run
 * after as much work as those of cn_poll_sites_add_seldom(). */
void cn_poll_forms_choose(const struct cn_function_facts *facts, const struct cn_loops *loops,
                          const struct cn_ptrmap *seldom, struct cn_poll_sites *sites);
enum cn_poll_form cn_poll_forms_of(const struct cn_poll_sites *sites, LLVMValueRef at);

#endif
