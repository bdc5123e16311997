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

struct cn_infer {
  struct cn_ctx *ctx;
  struct cn_callgraph graph;
  struct cn_work_known known; /* of functions that are done */
};

void cn_infer_begin(struct cn_infer *infer, struct cn_ctx *ctx);
void cn_infer_end(struct cn_infer *infer);

/* Is `instruction` a call that surely comes to a safepoint? */
bool cn_infer_polls(const struct cn_infer *infer, LLVMValueRef instruction);

/* Is it a call that closes a cycle of calls, and none that surely comes to a safepoint? */
bool cn_infer_closes(const struct cn_infer *infer, uint32_t caller, LLVMValueRef instruction);

/* Does somebody want a record of calls of the function: with a deoptimisation state or a
 * transition, with an id or room for a patch, or wrapped in a statepoint already? */
bool cn_infer_is_recorded(LLVMValueRef function);

/* Does `function` never reach a safepoint, and soon return? Then it gets the attribute. */
bool cn_infer_leaf(struct cn_infer *infer, LLVMValueRef function);

/* `function` must not reach a safepoint ("cairn-nopoll"): it gets the attribute if it calls nothing
 * but leaves. */
void cn_infer_quiet(struct cn_infer *infer, LLVMValueRef function);

/* The function of `loops` is going to poll at `sites`: note what follows for its callers. */
void cn_infer_learn(struct cn_infer *infer, const struct cn_loops *loops,
                    const struct cn_sites *sites);

/* Where the function has to poll, besides `sites`, so that no call of it does more than
 * CN_CALL_WORK without a safepoint, and none closes a cycle of calls without one (entry_polls.c): added
 * to `sites`. */
void cn_entries_find(const struct cn_infer *infer, const struct cn_loops *loops,
                     struct cn_sites *sites);

#endif
