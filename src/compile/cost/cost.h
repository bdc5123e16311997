/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds of a function's work between safepoints. Private to src/compile.
 *
 * The unit of work is about half a nanosecond, the time of a simple instruction. A contract extends bounds of single
 * functions to whole programs: a call of a function that Cairn compiled polls, or does at most CN_CALL_WORK before it
 * returns. If polls cannot ensure this, the function's attribute, and `through` of its summary, have the larger bound.
 * An unknown callee counts as CN_CALL_WORK. Native code after a transition also counts as CN_CALL_WORK, because other
 * threads never wait for a thread in native code.
 */
#ifndef CN_COMPILE_COST_COST_H
#define CN_COMPILE_COST_COST_H

#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* The work of a call of an unknown callee. */
#define CN_CALL_WORK 2000
/* The work of a call without its callee. */
#define CN_CALL_ITSELF 5
#define CN_WORK_DIVIDE 20
/* The work of a load and of a store that the prefetcher misses, if several such accesses overlap. */
#define CN_WORK_LOAD_ANYWHERE 16
#define CN_WORK_STORE_ANYWHERE 8

/* The work on the paths through a piece of code with one entry, such as a function. Each number is CN_WORK_UNKNOWN if
 * the work is unbounded, and 0 if the code lacks such a path. */
struct cn_work_summary {
  uint64_t enter;   /* work from the entry to the first safepoint */
  uint64_t between; /* work from one safepoint to the next */
  uint64_t leave;   /* work from the last safepoint to the end */
  uint64_t through; /* work from entry to end on a safepoint-free path */
  bool passes;      /* true if the code has a safepoint-free path to the end; false if every call polls */
  bool polls;       /* true if the code has a path to a safepoint */
};

/* Sums and products of work. The result is CN_WORK_UNKNOWN if an operand is CN_WORK_UNKNOWN or the operation overflows.
 */
static inline uint64_t cn_work_add(uint64_t a, uint64_t b)
{
  return a > CN_WORK_UNKNOWN - b ? CN_WORK_UNKNOWN : a + b;
}
static inline uint64_t cn_work_multiply(uint64_t a, uint64_t n)
{
  return a && n > (CN_WORK_UNKNOWN - 1) / a ? CN_WORK_UNKNOWN : a * n;
}

uint64_t cn_work_budget(const struct cn_ctx *ctx);

/* The limit of work between two safepoints, which is two budgets: a call may do a budget's work after its last
 * safepoint, and the next call may do a budget's work before its first. */
static inline uint64_t cn_work_between_safepoints_limit(const struct cn_ctx *ctx)
{
  return 2 * cn_work_budget(ctx);
}

/* The work of one instruction (instruction_cost.c). The work is CN_CALL_WORK for a call of an unknown callee, and
 * CN_WORK_UNKNOWN if the duration depends on an unknown argument. */
uint64_t cn_work_of_instruction(LLVMValueRef instruction);

/* The additional work of an access that misses all caches, as in a long loop over much memory; cn_work_of_instruction()
 * has the usual work. */
uint64_t cn_work_of_cache_miss(LLVMValueRef instruction);

/* The number N of an attribute "cairn-work"="N" on a function or call, which bounds its safepoint-free work at the
 * start, at the end and in all. */
uint64_t cn_work_parse_promise(LLVMAttributeRef attribute);
void cn_work_attach_promise(struct cn_ctx *ctx, LLVMValueRef call, uint64_t work);

/* The work of filling, copying or comparing `bytes` bytes; CN_WORK_UNKNOWN for an unknown number. */
uint64_t cn_work_of_bytes(uint64_t bytes);

uint64_t cn_work_of_intrinsic(LLVMValueRef call);

/* The number of elements of a value of `type`, and the number of registers, which is also the number of instructions
 * per operation. */
unsigned cn_work_element_count(LLVMTypeRef type);
uint64_t cn_work_register_count(LLVMTypeRef type);

/* The work of inline assembly, or CN_WORK_UNKNOWN if it may loop (assembly_cost.c). */
uint64_t cn_work_of_assembly(LLVMValueRef code);

/* The function that a call or a statepoint calls, or null. */
LLVMValueRef cn_work_callee_of(LLVMValueRef call);

/* ---- facts about functions (safepoint_facts.c) ---- */

struct cn_work_summaries {
  struct cn_ptrmap index; /* function -> its index in `at` plus one */
  CN_VECTOR(struct cn_work_summary) at;
  struct cn_ptrmap slow;         /* the slow paths of polls */
  bool polls_alone;              /* only polls count as polls; in-line allocations do not */
  const struct cn_ptrmap *sites; /* instructions that will get a poll before them, or null */
};

/* Add the slow paths of @gc.safepoint_poll, if the module defines it. A zero-initialised struct is empty. */
void cn_work_find_user_slow_paths(struct cn_work_summaries *known, LLVMModuleRef module);
/* Use `summary` for every later call of `function`, whose definition is final. */
void cn_work_record_summary(struct cn_work_summaries *known, LLVMValueRef function,
                            const struct cn_work_summary *summary);
const struct cn_work_summary *cn_work_find_summary(const struct cn_work_summaries *known, LLVMValueRef function);
void cn_work_summaries_free(struct cn_work_summaries *known);

/* The summary of one instruction, which includes the callee's summary for a call. */
struct cn_work_summary cn_work_summary_of_instruction(const struct cn_work_summaries *known, LLVMValueRef instruction);
/* True if the block ends in a poll, which is a branch to a block that calls the slow path of a poll or of an in-line
 * allocation. */
bool cn_work_block_ends_in_poll(const struct cn_work_summaries *known, const struct cn_cfg *cfg, uint32_t b);

/* ---- one function (path_cost.c) ---- */

/* At a point of the code: the work since the entry on safepoint-free paths, and the work since the last safepoint on
 * other paths. */
struct cn_work_at_point {
  uint64_t entry, poll;
  bool fresh, polled; /* whether safepoint-free paths and other paths reach the point */
};

/* The work of a loop from its header to its back edges. */
struct cn_loop_work {
  struct cn_work_summary once;
  uint64_t more;                 /* the work of a row of safepoint-free iterations, except the last */
  bool trusted;                  /* `more` comes from a note of place-safepoints, without a proof */
  struct cn_work_at_point start; /* the point at the header, after any number of iterations */
};

struct cn_function_work {
  const struct cn_work_summaries *known;
  const struct cn_loops *loops;
  struct cn_work_summary *blocks;    /* per block */
  struct cn_loop_work *at;           /* per loop */
  struct cn_work_at_point *in, *out; /* points per block, relative to the function's entry */
  struct cn_work_summary all;
  bool irreducible; /* the function has cycles other than natural loops */
};

/* Compute the longest paths between safepoints. The result is valid as long as `loops`. */
void cn_work_build(struct cn_function_work *work, const struct cn_ctx *ctx, const struct cn_loops *loops,
                   const struct cn_work_summaries *known);
void cn_work_free(struct cn_function_work *work);
/* True if an exception may leave the function after a safepoint-free path. */
bool cn_work_may_unwind_unpolled(const struct cn_function_work *work);

/* Compute the summary of a function, which is `all` of struct cn_function_work. */
struct cn_work_summary cn_work_summarise_function(const struct cn_ctx *ctx, LLVMValueRef function,
                                                  const struct cn_work_summaries *known);

/* Call `found` for each cycle of blocks that may do more than `limit` between safepoints (unpolled_cycles.c). */
typedef void cn_unpolled_cycle_callback(void *env, const struct cn_function_work *work, const uint32_t *blocks,
                                        uint32_t count);
void cn_work_find_unpolled_cycles(const struct cn_function_work *work, uint64_t limit,
                                  cn_unpolled_cycle_callback *found, void *env);

/* The point after `piece`. Adds paths that end at safepoints of `piece` to `ways`. Initially, `ways` is zero, and only
 * `fresh` is set in the point. */
struct cn_work_at_point cn_work_advance_point(struct cn_work_at_point point, const struct cn_work_summary *piece,
                                              struct cn_work_summary *ways);
void cn_work_merge_points(struct cn_work_at_point *into, struct cn_work_at_point p);
/* The point at a loop's header after any number of iterations, if the point at the loop's entry is `p`. */
struct cn_work_at_point cn_work_repeat_loop(struct cn_work_at_point p, const struct cn_loop_work *loop);

/* ---- block_frequency.c: estimates of block frequencies ---- */

/* The frequency of a block that runs on every call. */
#define CN_ALWAYS (UINT64_C(1) << 40)

/* For each block, the frequency of calls that enter the block at least once, up to CN_ALWAYS. Branch weights come from
 * a profile or __builtin_expect(). Without weights, all edges have equal frequencies, except edges to an abort. */
void cn_find_block_frequencies(const struct cn_loops *loops, uint64_t *often);

/* For each block, true if the weights make it rare: the block runs at most once in a thousand runs of its predecessors
 * in the same loop. */
void cn_find_rare_blocks(const struct cn_loops *loops, bool *rare);

/* ---- steps.c: checks after each step that changes the control flow of a function ---- */

/* The claims of a step about a loop that it made or changed. */
struct cn_step_loop_claim {
  LLVMBasicBlockRef header;
  LLVMBasicBlockRef latch; /* the only block with back edges to the header; null: unclaimed */
  LLVMBasicBlockRef outer; /* the header of the next enclosing loop; null: unclaimed */
  uint32_t blocks;         /* the number of blocks; 0: unclaimed */
  uint32_t exits;          /* the number of edges out of the loop; 0: unclaimed */
};

/* Report an error of rule "internal" if a claim is false before `step`, which relies on the claims. */
void cn_step_check_before(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                          const struct cn_step_loop_claim *loops, size_t count);

/* Report an error of rule "internal" if, after `step`, `function` is invalid IR or a claim about a loop is false. */
void cn_step_check_after(struct cn_ctx *ctx, LLVMValueRef function, const char *step,
                         const struct cn_step_loop_claim *loops, size_t count);

/* ---- unpolled_returns.c: safepoint-free paths to the returns of a function ---- */

/* A search for safepoint-free paths to returns. */
struct cn_unpolled_returns {
  const struct cn_cfg *cfg;
  const struct cn_work_summaries *known;
  /* True if the instruction ends a path like a safepoint. The pointer may be null. */
  bool (*ends)(const void *env, uint32_t block, LLVMValueRef instruction);
  const void *env;
  bool caught;   /* the search also follows exceptions */
  bool *returns; /* per block: a safepoint-free path leads from its start to a return */
};

/* Compute `returns` from the other fields. */
void cn_unpolled_returns_find(struct cn_unpolled_returns *ways);
void cn_unpolled_returns_free(struct cn_unpolled_returns *ways);
/* True if a safepoint-free path leads from the return of `call`, in block `b`, to a return of the function. */
bool cn_unpolled_return_after_call(const struct cn_unpolled_returns *ways, uint32_t b, LLVMValueRef call);

#endif
