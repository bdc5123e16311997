/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the places where a thread always reaches a safepoint, in code with calls or with statepoints: polls,
 * allocations, and calls of functions that poll on every path. Other parse points do not count, because their callees
 * may run for long; statepoints-later, "PlaceSafepoints", counts every call as a poll. Needs, breaks: nothing.
 * Provides: struct cn_work_summaries, for path_cost.c; cn_work_block_ends_in_poll().
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"

static const char *name_without_slow_prefix(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  return strncmp(name, CN_SLOW_PREFIX, sizeof CN_SLOW_PREFIX - 1) == 0 ? name + sizeof CN_SLOW_PREFIX - 1 : name;
}

/* ---- functions ---- */

void cn_work_find_user_slow_paths(struct cn_work_summaries *known, LLVMModuleRef module)
{
  LLVMValueRef user = LLVMGetNamedFunction(module, CN_USER_POLL);

  if (!user)
    return;
  cn_ptrmap_add(&known->slow, user, NULL);
  CN_EACH_BLOCK(b, user)
    CN_EACH_INSTRUCTION(i, b) {
      enum cn_call_kind kind = cn_classify_call(i).kind;
      LLVMValueRef callee = kind == CN_CALL_PARSE_POINT || kind == CN_CALL_STATEPOINT ? cn_work_callee_of(i) : NULL;
      if (callee)
        cn_ptrmap_add(&known->slow, callee, NULL);
    }
}

void cn_work_record_summary(struct cn_work_summaries *known, LLVMValueRef function,
                            const struct cn_work_summary *summary)
{
  uint64_t *place = cn_ptrmap_add(&known->index, function, NULL);

  CN_ASSERT(LLVMIsAFunction(function));
  if (*place) {
    known->at.at[*place - 1] = *summary;
    return;
  }
  *place = known->at.count + 1;
  cn_push(&known->at, *summary);
}

const struct cn_work_summary *cn_work_find_summary(const struct cn_work_summaries *known, LLVMValueRef function)
{
  const uint64_t *place = cn_ptrmap_find(&known->index, function);

  CN_ASSERT(LLVMIsAFunction(function));
  return place ? &known->at.at[*place - 1] : NULL;
}

void cn_work_summaries_free(struct cn_work_summaries *known)
{
  cn_ptrmap_free(&known->index);
  cn_ptrmap_free(&known->slow);
  cn_free(&known->at);
}

static bool is_poll_slow_path(const struct cn_work_summaries *known, LLVMValueRef callee)
{
  return cn_is_poll_stub(name_without_slow_prefix(callee)) || cn_string_attribute(callee, CN_ATTR_POLL_SLOW) ||
         cn_ptrmap_find(&known->slow, callee);
}

/* ---- instructions ---- */

/* The summary of a call with this work, if the callee has no recorded summary. */
static struct cn_work_summary estimate_callee_summary(const struct cn_work_summaries *known, LLVMValueRef call,
                                                      LLVMValueRef callee, uint64_t work)
{
  if (callee && is_poll_slow_path(known, callee))
    return (struct cn_work_summary){.polls = true};
  if (callee && cn_is_slow_allocation(name_without_slow_prefix(callee)))
    return (struct cn_work_summary){.polls = true, .leave = CN_CALL_WORK};
  uint64_t leave = work == CN_WORK_UNKNOWN ? work : work - CN_CALL_ITSELF;
  if (callee && cn_string_attribute(callee, CN_ATTR_POLLS))
    return (struct cn_work_summary){.polls = true, .enter = work, .leave = leave};
  bool leaf = cn_classify_call(call).kind == CN_CALL_LEAF || cn_calls_keeps_objects_in_place(call);
  bool polls = !leaf && callee && cn_string_attribute(callee, CN_ATTR_WORK);
  return (struct cn_work_summary){
      .passes = true, .through = work, .polls = polls, .enter = polls ? work : 0, .leave = polls ? leave : 0};
}

/* The summary of a call from the callee's summary, without the work between two safepoints inside the callee. */
static struct cn_work_summary add_call_overhead(struct cn_work_summary callee)
{
  callee.between = 0;
  callee.enter = callee.polls ? cn_work_add(callee.enter, CN_CALL_ITSELF) : 0;
  callee.through = callee.passes ? cn_work_add(callee.through, CN_CALL_ITSELF) : 0;
  return callee;
}

struct cn_work_summary cn_work_summary_of_instruction(const struct cn_work_summaries *known, LLVMValueRef i)
{
  uint64_t work = cn_work_of_instruction(i);

  if (!cn_is_call(i) || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
    return (struct cn_work_summary){.passes = true, .through = work};
  LLVMValueRef callee = cn_work_callee_of(i);
  const struct cn_work_summary *summary = callee ? cn_work_find_summary(known, callee) : NULL;
  return summary ? add_call_overhead(*summary) : estimate_callee_summary(known, i, callee, work);
}

/* ---- polls ---- */

/* True if the load reads a flag that other code sets: a volatile or atomic load, or a load of a global or thread-local.
 */
static bool reads_poll_flag(LLVMValueRef load)
{
  LLVMValueRef at = LLVMGetOperand(load, 0);

  CN_ASSERT(LLVMIsALoadInst(load));
  if (LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
    return true;
  while (LLVMIsAGetElementPtrInst(at))
    at = LLVMGetOperand(at, 0);
  return LLVMIsConstant(at) || (LLVMIsACallInst(at) && cn_calls_intrinsic(at, "llvm.threadlocal.address"));
}

/* True if the block's branch depends on a flag that the block reads, or on the result of assembly in the block, as in a
 * poll of the stack pointer. */
static bool branches_on_poll_flag(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  if (!cn_is_branch(end) || !LLVMIsConditional(end))
    return false;
  LLVMValueRef from = LLVMGetCondition(end);
  for (int depth = 0; depth < 4 && LLVMIsAInstruction(from) && !LLVMIsALoadInst(from); depth++) {
    if (cn_is_call(from))
      return LLVMIsAInlineAsm(LLVMGetCalledValue(from)) && LLVMGetInstructionParent(from) == block;
    from = LLVMGetNumOperands(from) ? LLVMGetOperand(from, 0) : end;
  }
  return LLVMIsALoadInst(from) && LLVMGetInstructionParent(from) == block && reads_poll_flag(from);
}

/* The slow path of a poll or allocation that the block calls before anything that takes time, or null. */
static LLVMValueRef slow_path_of_block(const struct cn_work_summaries *known, LLVMBasicBlockRef block)
{
  uint64_t work = 0;

  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && work < CN_CALL_WORK; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef callee = cn_is_call(i) ? cn_work_callee_of(i) : NULL;
    if (callee && (is_poll_slow_path(known, callee) || cn_is_slow_allocation(name_without_slow_prefix(callee))))
      return callee;
    work = cn_work_add(work, cn_work_of_instruction(i));
  }
  return NULL;
}

/* True if the block tests whether an allocation fits the buffer. Other threads set the buffer's limit to 0 to make the
 * thread reach a safepoint. */
static bool reads_allocation_limit(LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block)
    if (LLVMIsALoadInst(i) && LLVMGetVolatile(i) &&
        cn_is_mutator_field_address(LLVMGetOperand(i, 0), CAIRN_ABI_MUTATOR_LIMIT))
      return true;
  return false;
}

bool cn_work_block_ends_in_poll(const struct cn_work_summaries *known, const struct cn_cfg *cfg, uint32_t b)
{
  const struct cn_cfg_block *block = &cfg->blocks[b];

  CN_ASSERT(b < cfg->count);
  if (block->succ_count < 2)
    return false;
  for (uint32_t s = 0; s < block->succ_count; s++) {
    LLVMValueRef slow = slow_path_of_block(known, cfg->blocks[block->succs[s]].block);
    if (slow)
      return is_poll_slow_path(known, slow) ? branches_on_poll_flag(block->block)
                                            : !known->polls_alone && reads_allocation_limit(block->block);
  }
  return false;
}
