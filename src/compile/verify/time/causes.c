/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the causes of long times to a safepoint in a function: its loops and calls without a bound, each with an
 * explanation and a source location. Part of `cairn verify --time-to-safepoint`.
 *
 * Needs: struct cn_function_work. Provides: causes. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/verify/time/time_to_safepoint.h"

/* ---- the list ---- */

/* True if `a` and `b` are the optimiser's copies of one cause, so that the report needs only one of them. */
static bool is_same_cause(const struct cairn_time_cause *a, const struct cairn_time_cause *b)
{
  return a->line && a->line == b->line && a->column == b->column && strcmp(a->kind, b->kind) == 0 && a->where &&
         b->where && strcmp(a->where, b->where) == 0 && a->work == b->work;
}

void cn_causes_add(struct cn_time_causes *causes, const char *kind, LLVMValueRef at, char *where, char *why,
                   uint64_t work)
{
  struct cairn_time_cause cause = {.kind = kind, .where = where, .why = why, .work = work};
  unsigned length, line = LLVMGetDebugLocLine(at);

  CN_CHECK(kind && why && work > 0);
  if (line) {
    cause.line = line;
    cause.column = LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 0;
    cause.file = LLVMGetDebugLocFilename(at, &length);
    cause.directory = LLVMGetDebugLocDirectory(at, &length);
  }
  if (causes->at.count && is_same_cause(&causes->at.at[causes->at.count - 1], &cause)) {
    free(where);
    free(why);
    return;
  }
  cn_push(&causes->at, cause);
}

void cn_causes_free(struct cn_time_causes *causes)
{
  for (size_t i = 0; i < causes->at.count; i++) {
    free((void *)causes->at.at[i].where);
    free((void *)causes->at.at[i].why);
  }
  cn_free(&causes->at);
}

/* ---- loops ---- */

static char *explain_exits(const struct cn_loops *loops, uint32_t l)
{
  if (!loops->at[l].exits)
    return cn_strdup("it never ends");
  return cn_strdup(cn_loop_has_counting_exit(loops, l) ? "only the running program knows how often it goes round"
                                                       : "it ends when the data says so");
}

static bool has_unbounded_part(const struct cn_function_work *work, uint32_t l)
{
  const struct cn_loop *loop = &work->loops->at[l];

  for (uint32_t i = 0; i < loop->count; i++)
    if (work->blocks[loop->blocks[i]].through == CN_WORK_UNKNOWN)
      return true;
  for (uint32_t inner = l + 1 - loop->below; inner < l; inner++)
    if (work->at[inner].more == CN_WORK_UNKNOWN)
      return true;
  return false;
}

static char *explain_loop(const struct cn_function_work *work, uint32_t l)
{
  const struct cn_loop_work *loop = &work->at[l];

  CN_ASSERT(l < work->loops->count);
  if (loop->more != CN_WORK_UNKNOWN)
    return cn_format("a pass does %llu units, and all that follow on it %llu", (unsigned long long)loop->once.through,
                     (unsigned long long)loop->more);
  if (loop->once.through == CN_WORK_UNKNOWN && has_unbounded_part(work, l))
    return cn_strdup("a pass has no bound itself");
  return explain_exits(work->loops, l);
}

/* The first call on the cycle that a reader could mistake for a safepoint, or null. */
static LLVMValueRef first_call_on_cycle(const struct cn_function_work *work, const uint32_t *blocks, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    CN_EACH_INSTRUCTION(v, work->loops->cfg->blocks[blocks[i]].block) {
      enum cn_call_kind kind = cn_classify_call(v).kind;
      if (kind == CN_CALL_PARSE_POINT || kind == CN_CALL_STATEPOINT)
        return v;
    }
  return NULL;
}

/* The callee's name, such as "@foo", of a call or statepoint. The caller frees the name. */
static char *format_callee_name(LLVMValueRef call)
{
  LLVMValueRef callee = cn_work_callee_of(call);
  char name[160];

  return cn_strdup(callee                                       ? cn_value_name(callee, name, sizeof name)
                   : LLVMIsAInlineAsm(LLVMGetCalledValue(call)) ? "inline assembly"
                                                                : "a pointer");
}

/* The instruction that gives the cycle's source location: the back edge if it has a location, else any instruction with
 * a location. */
static LLVMValueRef source_place_of_cycle(const struct cn_cfg *cfg, const uint32_t *blocks, uint32_t count)
{
  CN_CHECK(count);
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[blocks[count - 1]].block);

  if (LLVMGetDebugLocLine(end))
    return end;
  for (uint32_t i = 0; i < count; i++)
    CN_EACH_INSTRUCTION(v, cfg->blocks[blocks[i]].block)
      if (LLVMGetDebugLocLine(v))
        return v;
  return end;
}

static void add_cycle_cause(void *env, const struct cn_function_work *work, const uint32_t *blocks, uint32_t count)
{
  struct cn_time_causes *causes = env;
  const struct cn_cfg *cfg = work->loops->cfg;
  uint32_t l = work->loops->of[blocks[0]], latch = blocks[count - 1];
  LLVMValueRef header = LLVMBasicBlockAsValue(cfg->blocks[blocks[0]].block);
  bool loop = cn_cfg_dominates(cfg, blocks[0], latch);
  CN_CHECK(!loop || (l != CN_NO_BLOCK && work->loops->at[l].header == blocks[0]));
  uint64_t all = loop ? cn_work_add(work->at[l].more, work->at[l].once.through) : CN_WORK_UNKNOWN;
  char name[160];

  char *why = loop ? explain_loop(work, l) : cn_strdup("several ways lead into it");
  LLVMValueRef call = first_call_on_cycle(work, blocks, count);
  if (call) {
    char *callee = format_callee_name(call);
    char *longer = cn_format("%s, and the call of %s need not come to a safepoint", why, callee);
    free(why);
    free(callee);
    why = longer;
  }
  cn_causes_add(causes, loop ? "loop" : "cycle", source_place_of_cycle(cfg, blocks, count),
                cn_strdup(cn_value_name(header, name, sizeof name)), why, all);
}

/* ---- calls ---- */

static void add_call_cause(struct cn_time_causes *causes, const struct cn_function_work *work, LLVMValueRef call)
{
  CN_ASSERT(cn_is_call(call));
  struct cn_work_summary piece = cn_work_summary_of_instruction(work->known, call);
  LLVMValueRef callee = cn_work_callee_of(call);
  const char *why = NULL;
  uint64_t most = 0;

  if (piece.passes && piece.through > causes->limit) {
    most = piece.through;
    why = callee && cn_work_find_summary(work->known, callee)
              ? "the function may do so much without coming to a safepoint"
          : LLVMIsAInlineAsm(LLVMGetCalledValue(call)) ? "something in it may go round and round"
                                                       : "it takes as long as its arguments say";
  } else if (piece.polls && (piece.enter > causes->limit || piece.leave > causes->limit)) {
    most = piece.enter > piece.leave ? piece.enter : piece.leave;
    why = piece.enter > causes->limit ? "the function comes late to its first safepoint"
                                      : "the function goes on for long after its last safepoint";
  }
  if (why)
    cn_causes_add(causes, "call", call, format_callee_name(call), cn_strdup(why), most);
}

void cn_causes_find(struct cn_time_causes *causes, const struct cn_function_work *work)
{
  const struct cn_cfg *cfg = work->loops->cfg;

  cn_work_find_unpolled_cycles(work, causes->limit, add_cycle_cause, causes);
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (cn_is_call(i))
        add_call_cause(causes, work, i);
}
