/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds of a function's work between safepoints. Private to src/compile.
 *
 * Work is counted in units of about half a nanosecond: a simple instruction is one. A contract makes bounds of single
 * functions bounds of whole programs: a call of any function that Cairn compiled polls, or does at most CN_CALL_WORK
 * before it returns. If polls cannot keep to that, `through` of the function's summary and its attribute say so. An
 * unknown callee counts as CN_CALL_WORK. Native code after a transition also counts as CN_CALL_WORK: other threads do
 * not wait for a thread in it.
 */
#ifndef CN_COMPILE_COST_COST_H
#define CN_COMPILE_COST_COST_H

#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* The work of a call of an unknown callee. */
#define CN_CALL_WORK 2000
/* The work of a call alone; its callee's comes on top. */
#define CN_CALL_ITSELF 5
#define CN_WORK_DIVIDE 20
/* A load and a store at an address that the prefetcher misses. Several such accesses may be under way. */
#define CN_WORK_LOAD_ANYWHERE 16
#define CN_WORK_STORE_ANYWHERE 8

/* The paths of a piece of code with one entry, such as a function, from there to its end. Each number is
 * CN_WORK_UNKNOWN if it is unbounded, 0 if the code lacks such a path. */
struct cn_work_summary {
  uint64_t enter;   /* from the entry to the first safepoint */
  uint64_t between; /* from one safepoint to the next */
  uint64_t leave;   /* from the last safepoint to the end */
  uint64_t through; /* from entry to end on a safepoint-free path */
  bool passes;      /* true if the code has a safepoint-free path to the end; false if every call polls */
  bool polls;       /* true if the code has a path to a safepoint */
};

/* Sums and products. CN_WORK_UNKNOWN stays, and replaces results that overflow. */
static inline uint64_t cn_work_add(uint64_t a, uint64_t b)
{
  return a > CN_WORK_UNKNOWN - b ? CN_WORK_UNKNOWN : a + b;
}
static inline uint64_t cn_work_multiply(uint64_t a, uint64_t n)
{
  return a && n > (CN_WORK_UNKNOWN - 1) / a ? CN_WORK_UNKNOWN : a * n;
}

/* The budget of options->poll_budget in units. */
uint64_t cn_work_budget(const struct cn_ctx *ctx);

/* The work that may lie between two safepoints: a call may do a budget's worth after its last, and
 * another call follows. */
static inline uint64_t cn_work_between_safepoints_limit(const struct cn_ctx *ctx)
{
  return 2 * cn_work_budget(ctx);
}

/* The work of one instruction (instruction_cost.c): CN_CALL_WORK for a call of an unknown callee, CN_WORK_UNKNOWN for
 * one whose duration depends on an unknown argument. */
uint64_t cn_work_of_instruction(LLVMValueRef instruction);

/* The further work of an instruction that misses all caches, as in each iteration of a long loop over much memory;
 * cn_work_of_instruction() has the usual work. */
uint64_t cn_work_of_cache_miss(LLVMValueRef instruction);

/* "cairn-work"="N" on a function or a call: its safepoint-free work, at its start, at its end or in all, is at most N.
 * Returns N. */
uint64_t cn_work_parse_promise(LLVMAttributeRef attribute);
/* Give a call that attribute. */
void cn_work_attach_promise(struct cn_ctx *ctx, LLVMValueRef call, uint64_t work);

/* The work of filling, copying or comparing so many bytes; CN_WORK_UNKNOWN stays that. */
uint64_t cn_work_of_bytes(uint64_t bytes);

/* The work of a call of an intrinsic (intrinsic_cost.c). */
uint64_t cn_work_of_intrinsic(LLVMValueRef call);

/* The elements of a value of `type`, and the registers that it takes: one operation has so many instructions. */
unsigned cn_work_element_count(LLVMTypeRef type);
uint64_t cn_work_register_count(LLVMTypeRef type);

/* The work of inline assembly; CN_WORK_UNKNOWN if it may loop (assembly_cost.c). */
uint64_t cn_work_of_assembly(LLVMValueRef code);

/* The function that a call or a statepoint calls, or null. */
LLVMValueRef cn_work_callee_of(LLVMValueRef call);

/* ---- facts about functions (safepoint_facts.c) ---- */

struct cn_work_summaries {
  struct cn_ptrmap index; /* function -> its place in `at`, plus one */
  CN_VECTOR(struct cn_work_summary) at;
  struct cn_ptrmap slow;         /* the slow paths of polls */
  bool polls_alone;              /* true: only polls count as polls, and allocations in line do not */
  const struct cn_ptrmap *sites; /* instructions that will get a poll before them, or null */
};

/* A zero-initialised set is empty; this finds the slow paths of @gc.safepoint_poll, if the module has one. */
void cn_work_find_user_slow_paths(struct cn_work_summaries *known, LLVMModuleRef module);
/* Take every further call of `function`, a certain definition, for this. */
void cn_work_record_summary(struct cn_work_summaries *known, LLVMValueRef function,
                            const struct cn_work_summary *summary);
const struct cn_work_summary *cn_work_find_summary(const struct cn_work_summaries *known, LLVMValueRef function);
void cn_work_summaries_free(struct cn_work_summaries *known);

/* The summary of one instruction: its work, and for a call the facts about its callee. */
struct cn_work_summary cn_work_summary_of_instruction(const struct cn_work_summaries *known, LLVMValueRef instruction);
/* True if the block ends in a poll: a branch with one side that calls the slow path of a poll, or of an allocation in
 * line. */
bool cn_work_block_ends_in_poll(const struct cn_work_summaries *known, const struct cn_cfg *cfg, uint32_t b);

/* ---- one function (path_cost.c) ---- */

/* At some place: the work since the entry on safepoint-free paths, and since the last safepoint on the others. */
struct cn_work_at_point {
  uint64_t entry, poll;
  bool fresh, polled; /* true if there are such paths */
};

/* The work of a loop from its header to its back edges. */
struct cn_loop_work {
  struct cn_work_summary once;
  uint64_t more;                 /* the work of its iterations except the last, one after the other, between polls */
  bool trusted;                  /* `more` is an unproved note of place-safepoints */
  struct cn_work_at_point start; /* at its header, after any number of iterations */
};

struct cn_function_work {
  const struct cn_work_summaries *known;
  const struct cn_loops *loops;
  struct cn_work_summary *blocks;    /* by block */
  struct cn_loop_work *at;           /* by loop */
  struct cn_work_at_point *in, *out; /* by block, from the entry of the function */
  struct cn_work_summary all;
  bool irreducible; /* has cycles other than loops */
};

/* Longest paths between safepoints. Valid as long as `loops` are. */
void cn_work_build(struct cn_function_work *work, const struct cn_ctx *ctx, const struct cn_loops *loops,
                   const struct cn_work_summaries *known);
void cn_work_free(struct cn_function_work *work);
/* True if an exception may leave the function on a safepoint-free path. */
bool cn_work_may_unwind_unpolled(const struct cn_function_work *work);

/* cn_function_work.all of a function, for callers that need only this. */
struct cn_work_summary cn_work_summarise_function(const struct cn_ctx *ctx, LLVMValueRef function,
                                                  const struct cn_work_summaries *known);

/* Call `found` for each cycle of blocks that may do more than `limit` between safepoints (unpolled_cycles.c). */
typedef void cn_unpolled_cycle_callback(void *env, const struct cn_function_work *work, const uint32_t *blocks,
                                        uint32_t count);
void cn_work_find_unpolled_cycles(const struct cn_function_work *work, uint64_t limit,
                                  cn_unpolled_cycle_callback *found, void *env);

/* cn_work_advance_point(): `point` after `piece`; paths that end there go into `ways`. Both are null-initialised at
 * first, the point of an entry with `fresh` set. cn_work_end_paths(): paths that end at the end. */
struct cn_work_at_point cn_work_advance_point(struct cn_work_at_point point, const struct cn_work_summary *piece,
                                              struct cn_work_summary *ways);
void cn_work_end_paths(struct cn_work_at_point point, struct cn_work_summary *ways);
/* Merge the points of two paths that meet. */
void cn_work_merge_points(struct cn_work_at_point *into, struct cn_work_at_point p);
/* The point at a loop's header, after any number of iterations; the loop is entered at `p`. */
struct cn_work_at_point cn_work_repeat_loop(struct cn_work_at_point p, const struct cn_loop_work *loop);

#endif
