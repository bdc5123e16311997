/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes statepoints and relocations apart: the names from the printed instruction, the pairs in the order of LLVM's
 * stack maps from its users. Runs before code generation, and leaves the module unchanged.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "driver/cc/command.h"
#include "driver/explain/explain.h"

enum { CALLEE_OPERAND = 2, COUNT_OPERAND = 3, FIRST_ARGUMENT = 5 };

/* ---- the printed form ---- */

/* The operands of a call of an intrinsic in its printed form. */
static void split_operands(struct cn_text text, const char *intrinsic, cn_texts *operands)
{
  struct cn_text from = cn_text_skip(text, cn_text_find(text, intrinsic));
  struct cn_text list = cn_text_skip(from, cn_text_before(from, '(').size);
  size_t length = cn_text_bracket_length(list);

  if (length > 2)
    cn_text_split((struct cn_text){list.at + 1, length - 2}, operands);
}

static struct cn_text result_name_of(struct cn_text text)
{
  size_t end = cn_text_find(text, " = ");

  return (struct cn_text){text.at, text.at[0] == '%' && end < text.size ? end : 0};
}

static const char text_of_statepoint[] = "@llvm.experimental.gc.statepoint";

struct cn_text cn_explain_shorten_statepoint(struct cn_text text)
{
  cn_texts operands = {0};
  struct cn_text result = result_name_of(text);

  split_operands(text, text_of_statepoint, &operands);
  if (operands.count <= FIRST_ARGUMENT) {
    cn_free(&operands);
    return text;
  }
  struct cn_text callee = cn_text_last_word(operands.at[CALLEE_OPERAND]); /* "ptr elementtype(TYPE) CALLEE" */
  size_t count = strtoul(cn_text_keep(cn_text_last_word(operands.at[COUNT_OPERAND])), NULL, 10);
  struct cn_text arguments = {0};
  if (count > 0 && FIRST_ARGUMENT + count <= operands.count) {
    struct cn_text last = operands.at[FIRST_ARGUMENT + count - 1];
    arguments.at = operands.at[FIRST_ARGUMENT].at;
    arguments.size = (size_t)(last.at + last.size - arguments.at);
  }
  cn_free(&operands);
  const char *verb = cn_text_find(text, "= invoke ") < text.size ? "invoke" : "call";
  return cn_text_of(cn_command_format_string("%.*s%s%s %.*s(%.*s)", (int)result.size, result.at,
                                             result.size ? " = " : "", verb, (int)callee.size, callee.at,
                                             (int)arguments.size, arguments.size ? arguments.at : ""));
}

/* A printed relocation ends in a comment "; (BASE, DERIVED)". */
struct cn_text cn_explain_shorten_relocation(struct cn_text text)
{
  cn_texts names = {0};
  size_t comment = cn_text_find(text, " ; (");
  struct cn_text list = cn_text_skip(text, comment + 3), result = result_name_of(text);
  size_t length = cn_text_bracket_length(list);

  if (length > 2)
    cn_text_split((struct cn_text){list.at + 1, length - 2}, &names);
  if (names.count != 2) {
    cn_free(&names);
    return text;
  }
  struct cn_text base = names.at[0], derived = names.at[1];
  bool same = cn_text_equals(base, derived);
  cn_free(&names);
  return cn_text_of(cn_command_format_string("%.*s = gc.relocate(%.*s%s%.*s)", (int)result.size, result.at,
                                             (int)derived.size, derived.at, same ? "" : " from ",
                                             same ? 0 : (int)base.size, base.at));
}

static void take_live_names(struct cn_explain_statepoint *statepoint, struct cn_text text)
{
  static const char bundle[] = "\"gc-live\"";
  struct cn_text list = cn_text_skip(text, cn_text_find(text, bundle) + sizeof bundle - 1);
  size_t length = cn_text_bracket_length(list);
  cn_texts operands = {0};

  if (length > 2)
    cn_text_split((struct cn_text){list.at + 1, length - 2}, &operands);
  for (size_t i = 0; i < operands.count; i++)
    cn_push(&statepoint->live, cn_text_last_word(operands.at[i]));
  cn_free(&operands);
}

/* ---- the pairs ---- */

/* LLVM lists a pair for each relocation, in the order of the statepoint's users, and lists a derived value once. */
static void take_pairs(struct cn_explain_statepoint *statepoint, LLVMValueRef call)
{
  CN_EACH_USE(use, call) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!cn_is_call(user) || !cn_calls_intrinsic(user, "llvm.experimental.gc.relocate"))
      continue;
    struct cn_explain_pair pair = {(unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)),
                                   (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(user, 2))};
    bool listed = false;
    for (size_t i = 0; i < statepoint->pairs.count; i++)
      listed |= statepoint->pairs.at[i].derived == pair.derived;
    if (!listed)
      cn_push(&statepoint->pairs, pair);
  }
}

/* ---- the reason ---- */

static const char *name_without_prefix(const char *name)
{
  return strncmp(name, CN_SLOW_PREFIX, sizeof CN_SLOW_PREFIX - 1) == 0 ? name + sizeof CN_SLOW_PREFIX - 1 : name;
}

static void classify_callee(struct cn_explain_statepoint *statepoint, LLVMValueRef callee)
{
  size_t length;
  const char *name = LLVMIsAGlobalValue(callee) ? name_without_prefix(LLVMGetValueName2(callee, &length)) : "";

  statepoint->kind = CN_EXPLAIN_CALL;
  if (cn_is_poll_stub(name)) {
    statepoint->kind = CN_EXPLAIN_POLL;
    statepoint->why = "a poll";
  } else if (cn_is_slow_allocation(name)) {
    statepoint->kind = CN_EXPLAIN_ALLOCATION;
    statepoint->why = "an allocation collects if the thread's buffer is full or another thread asks for a collection";
  } else if (!LLVMIsAGlobalValue(callee)) {
    statepoint->why = "a call through a pointer may reach a safepoint";
  } else if (LLVMIsAGlobalAlias(callee) || !LLVMIsDeclaration(callee)) {
    statepoint->why = "a call of a managed function that may reach a safepoint";
  } else {
    statepoint->why = "a call of a function of another unit or of the runtime, which may reach a safepoint";
  }
}

void cn_explain_take_statepoint(struct cn_explain_statepoint *statepoint, LLVMValueRef call, struct cn_text text)
{
  take_live_names(statepoint, text);
  take_pairs(statepoint, call);
  classify_callee(statepoint, LLVMGetOperand(call, CALLEE_OPERAND));
}
