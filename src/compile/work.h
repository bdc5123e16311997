/* SPDX-License-Identifier: Apache-2.0
 *
 * How much a function does between safepoints, at most. Private to src/compile.
 *
 * Work is counted in units of about half a nanosecond: a simple instruction is one. The contract
 * that makes bounds of single functions bounds of whole programs: a call of any function that
 * Cairn compiled polls, or it does no more than CN_CALL_WORK before it returns (what no poll can
 * keep to that is in `through` of its summary and in its attribute). What is called and not known
 * counts as CN_CALL_WORK; native code that a transition leads to counts as none beyond that, for a
 * thread in it delays nobody.
 */
#ifndef CN_COMPILE_WORK_H
#define CN_COMPILE_WORK_H

#include "compile/loops.h"
#include "compile/pass.h"

/* Units per microsecond. */
#define CN_WORK_PER_US 2000
/* Of a call of which nothing is known. */
#define CN_CALL_WORK 2000

/* Of a whole call of a function, each CN_WORK_UNKNOWN if there is no bound, 0 where there is no such
 * way. */
struct cn_work_summary {
  uint64_t enter;   /* from the entry to the first safepoint */
  uint64_t between; /* from one safepoint to the next */
  uint64_t leave;   /* from the last safepoint to the return */
  uint64_t through; /* from entry to return on a way without a safepoint */
  bool passes;      /* is there such a way? Not if every call polls. */
};

/* Sums and products that stay CN_WORK_UNKNOWN once they are, or do not fit. */
static inline uint64_t cn_work_add(uint64_t a, uint64_t b)
{
  return a > CN_WORK_UNKNOWN - b ? CN_WORK_UNKNOWN : a + b;
}
static inline uint64_t cn_work_times(uint64_t a, uint64_t n)
{
  return a && n > (CN_WORK_UNKNOWN - 1) / a ? CN_WORK_UNKNOWN : a * n;
}

/* The budget of options->poll_budget in units. */
uint64_t cn_work_budget(const struct cn_ctx *ctx);

/* What one instruction does (costs.c): a call of which nothing is known CN_CALL_WORK, one that runs
 * as long as an unknown argument says CN_WORK_UNKNOWN. */
uint64_t cn_work_of(LLVMValueRef instruction);

/* "cairn-work"="N" on a function or a call: it does at most N without a safepoint, at its start, at
 * its end or in all. And the number in it. */
#define CN_WORK_SAID "cairn-work"
uint64_t cn_work_parse(LLVMAttributeRef attribute);

/* The function that a call or a statepoint calls, or null. */
LLVMValueRef cn_work_callee(LLVMValueRef call);

#endif
