/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about the functions of a module, before and after place.c inserts polls; and the steps of place.c. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_PLACE_FUNCTION_FACTS_H
#define CN_COMPILE_PLACE_FUNCTION_FACTS_H

#include "compile/analysis/callgraph.h"
#include "compile/cost/cost.h"
#include "compile/place/poll.h"
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

/* True if `instruction` is a call that closes a call cycle and may return without a safepoint. */
bool cn_function_facts_closes_cycle(const struct cn_function_facts *facts, uint32_t caller, LLVMValueRef instruction);

/* True if some call in the function is a statepoint, or has a deoptimisation state, a transition, an id or space for a
 * patch. */
bool cn_function_facts_needs_records(LLVMValueRef function);

/* True if `function` returns after little work without a safepoint. The function then gets the attribute
 * "gc-leaf-function". */
bool cn_function_facts_infer_leaf(struct cn_function_facts *facts, LLVMValueRef function);

/* Give `function` the attribute "gc-leaf-function" if it has "cairn-nopoll" and calls only leaves and functions with
 * "cairn-nopoll". */
void cn_function_facts_infer_nopoll(struct cn_function_facts *facts, LLVMValueRef function);

/* Record for the callers of the function of `loops` that this function polls at `sites`. */
void cn_function_facts_record_work(struct cn_function_facts *facts, const struct cn_loops *loops,
                                   const struct cn_poll_sites *sites);

/* Add the entry poll to `sites` if the function needs it. With the entry poll each path polls before it closes a call
 * cycle, and before it may return after more work than CN_CALL_WORK (entry_polls.c). */
void cn_entry_polls_add_site(const struct cn_function_facts *facts, const struct cn_loops *loops,
                             struct cn_poll_sites *sites);

/* Choose the forms of polls, before the polls are emitted (poll_forms.c). Polls in blocks of `seldom` run as rarely as
 * polls at the sites of cn_poll_sites_add_rare(). */
void cn_poll_forms_choose(const struct cn_function_facts *facts, const struct cn_loops *loops,
                          const struct cn_ptrmap *seldom, struct cn_poll_sites *sites);
enum cn_poll_form cn_poll_forms_of(const struct cn_poll_sites *sites, LLVMValueRef at);

/* dispatch.c: if an interpreter jumps from block `latch` to all its operations, add sites in the predecessors of
 * `latch` for its retreating edges. False, with `sites` unchanged, if `latch` is another kind of block, if a
 * predecessor lacks a place for a poll, or if the function has safepoint-free intervals, is unoptimised or is optimised
 * for size. */
bool cn_dispatch_add_sites(struct cn_ctx *ctx, const struct cn_work_summaries *known, const struct cn_cfg *cfg,
                           uint32_t latch, struct cn_poll_sites *sites);

/* split_returns.c: paths through `function` that return before any call get a separate return. */
void cn_split_returns(struct cn_ctx *ctx, LLVMValueRef function);

/* long_path_polls.c: add to `sites` the polls that bound the work between two safepoints of the function of `loops` by
 * cn_work_between_safepoints_limit(). */
void cn_long_path_polls_add_sites(struct cn_ctx *ctx, const struct cn_loops *loops, struct cn_work_summaries *known,
                                  struct cn_poll_sites *sites);

/* Add to `sites` polls so that a recursion through the function of `loops` cannot return over several levels without a
 * safepoint (recursion_polls.c). */
void cn_recursion_polls_add_sites(const struct cn_function_facts *facts, const struct cn_loops *loops,
                                  struct cn_poll_sites *sites);

/* return_polls.c: give calls in tail position a separate return if they share a return with blocks that return after
 * other work. A poll before the shared return then runs only after the other work. */
void cn_return_polls_split_tail_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* The place of a return poll in block `b`: the poll goes before this instruction. Null if the block does not return, or
 * returns only the results of tail calls. */
LLVMValueRef cn_return_polls_site_of(const struct cn_cfg *cfg, uint32_t b);

/* The call of `block` that the code generator turns into a jump, or null. */
LLVMValueRef cn_return_polls_find_tail_call(LLVMBasicBlockRef block);

#endif
