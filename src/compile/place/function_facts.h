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

/* Function attribute: never reaches a safepoint. */
#define CN_LEAF_SAID "gc-leaf-function"

struct cn_function_facts {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_known known; /* of functions that are done */
};

void cn_function_facts_begin(struct cn_function_facts *infer, struct cn_ctx *ctx);
void cn_function_facts_end(struct cn_function_facts *infer);

/* Is `instruction` a call that surely comes to a safepoint? */
bool cn_function_facts_polls(const struct cn_function_facts *infer, LLVMValueRef instruction);

/* Is it a call that closes a cycle of calls, and none that surely comes to a safepoint? */
bool cn_function_facts_closes(const struct cn_function_facts *infer, uint32_t caller,
                              LLVMValueRef instruction);

/* Does somebody want a record of calls of the function: with a deoptimisation state or a
 * transition, with an id or room for a patch, or wrapped in a statepoint already? */
bool cn_function_facts_are_recorded(LLVMValueRef function);

/* Does `function` never reach a safepoint, and soon return? Then it gets the attribute. */
bool cn_function_facts_leaf(struct cn_function_facts *infer, LLVMValueRef function);

/* `function` must not reach a safepoint ("cairn-nopoll"): it gets the attribute if it calls nothing
 * but leaves. */
void cn_function_facts_quiet(struct cn_function_facts *infer, LLVMValueRef function);

/* The function of `loops` is going to poll at `sites`: note what follows for its callers. */
void cn_function_facts_learn(struct cn_function_facts *infer, const struct cn_loops *loops,
                             const struct cn_poll_sites *sites);

/* Where the function has to poll, besides `sites`, so that no call of it does more than
 * CN_CALL_WORK without a safepoint, and none closes a cycle of calls without one (entry_polls.c):
 * added to `sites`. */
void cn_entry_polls_find(const struct cn_function_facts *infer, const struct cn_loops *loops,
                         struct cn_poll_sites *sites);

#endif
