/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates the work of inline assembly. Needs, breaks: nothing. Provides: cn_work_of_assembly().
 *
 * The estimate searches the text for statements that may loop: backward jumps, repeated string instructions and calls.
 * Without such statements, each statement runs at most once.
 */
#include <string.h>
#include "compile/cost/cost.h"

/* The work of a statement, which may be an atomic instruction. */
#define STATEMENT_COST 20

struct text_range {
  const char *at, *end;
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '{' || c == '}' || c == '|';
}

static bool is_statement_end(char c)
{
  return c == '\n' || c == ';' || c == '\r' || c == '\0';
}

/* The next word of the statement, or an empty word at the statement's end. */
static struct text_range next_word(struct text_range *rest)
{
  while (rest->at < rest->end && is_blank(*rest->at))
    rest->at++;
  struct text_range word = {rest->at, rest->at};
  while (word.end < rest->end && !is_blank(*word.end) && !is_statement_end(*word.end))
    word.end++;
  rest->at = word.end;
  return word;
}

static bool is_word_in(struct text_range word, const char *const *names)
{
  for (; *names; names++)
    if ((size_t)(word.end - word.at) == strlen(*names) && strncmp(word.at, *names, strlen(*names)) == 0)
      return true;
  return false;
}

static bool starts_with(struct text_range word, const char *start)
{
  return (size_t)(word.end - word.at) >= strlen(start) && strncmp(word.at, start, strlen(start)) == 0;
}

/* True for a local label ahead, `1f`, or a label of the function outside the assembly, `${0:l}`. */
static bool is_forward_label(struct text_range target)
{
  return target.end > target.at && (target.end[-1] == 'f' || starts_with(target, "$"));
}

/* True if the time of the statement is unbounded. `word` is its first word, and `rest` the text after it. */
static bool may_run_for_any_time(struct text_range word, struct text_range rest)
{
  static const char *const repeats[] = {"rep", "repe", "repz", "repne", "repnz", NULL};
  static const char *const none[] = {"", "nop", "ret", "retq", NULL}; /* "rep; nop" is pause */

  if (is_word_in(word, repeats))
    return !is_word_in(next_word(&rest), none);
  if (starts_with(word, "call"))
    return true;
  return (starts_with(word, "j") || starts_with(word, "loop")) && !is_forward_label(next_word(&rest));
}

uint64_t cn_work_of_assembly(LLVMValueRef code)
{
  size_t length;
  const char *text = LLVMGetInlineAsmAsmString(code, &length);
  struct text_range rest = {text, text + length};
  uint64_t work = 0;

  while (rest.at < rest.end) {
    struct text_range word = next_word(&rest);
    while (word.end > word.at && word.end[-1] == ':')
      word = next_word(&rest);
    if (may_run_for_any_time(word, rest))
      return CN_WORK_UNKNOWN;
    while (rest.at < rest.end && !is_statement_end(*rest.at))
      rest.at++;
    rest.at += rest.at < rest.end;
    work += word.end > word.at ? STATEMENT_COST : 0;
  }
  return work ? work : 1;
}
