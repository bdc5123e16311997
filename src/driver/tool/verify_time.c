/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn verify --time-to-safepoint`: prints the bounds of each function, and their causes, on stdout, as text or as
 * JSON. Runs once per function; leaves the module unchanged, and holds no state.
 */
#include "driver/tool/verify_time.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/check.h"
#include "object/print/json_out.h"

/* Check that a function has a name, that a line has a file, and that a cause has a kind and a reason. */
static void check_time(const struct cairn_time *time)
{
  CN_CHECK(time->function && (time->line == 0 || time->file));
  for (size_t i = 0; i < time->cause_count; i++)
    CN_ASSERT(time->causes[i].kind && time->causes[i].why);
}

/* ---- text ---- */

static void print_time_bound(const char *what, uint64_t work)
{
  if (work == CAIRN_TIME_UNBOUNDED)
    printf("%s unbounded", what);
  else
    printf("%s %.2f us (%" PRIu64 ")", what, (double)work / CAIRN_TIME_PER_US, work);
}

static void print_cause(const char *path, const struct cairn_time_cause *cause)
{
  printf("  %s", cause->file ? cause->file : path);
  if (cause->line)
    printf(":%u", cause->line);
  if (cause->column)
    printf(":%u", cause->column);
  printf(": %s", cause->kind);
  if (cause->where)
    printf(" %s", cause->where);
  print_time_bound(":", cause->work);
  printf(": %s\n", cause->why);
}

void cn_verify_print_time(void *env, const struct cairn_time *time)
{
  check_time(time);
  printf("@%s", time->function);
  if (time->line)
    printf(" (%s:%u)", time->file, time->line);
  if (!time->polls) {
    fputs(": no safepoint", stdout);
  } else {
    print_time_bound(": enter", time->enter);
    print_time_bound(", between", time->between);
    print_time_bound(", leave", time->leave);
  }
  if (time->passes)
    print_time_bound(", through", time->through);
  printf("%s%s", time->recursive ? ", recursive" : "", time->nopoll ? ", cairn-nopoll" : "");
  if (time->regions)
    printf(", %u region%s without safepoints", time->regions, time->regions == 1 ? "" : "s");
  putchar('\n');
  for (size_t i = 0; i < time->cause_count; i++)
    print_cause(env, &time->causes[i]);
}

/* ---- JSON ---- */

/* A bound as a JSON member, whose value is null for a missing bound. Omitted if `asked` is false. */
static struct cn_json_member make_bound_member(const char *name, bool asked, uint64_t work)
{
  struct cn_json_member member = CN_NUMBER_IF(name, work != CAIRN_TIME_UNBOUNDED, work);

  if (!asked)
    member.kind = CN_JSON_OMITTED;
  return member;
}

static void print_cause_json(struct cn_json_writer *json, const struct cairn_time_cause *cause)
{
  cn_json_out_open_bracket(json, NULL, '{');
  CN_MEMBERS(json, CN_STRING("kind", cause->kind), CN_STRING_OR_NOT("where", cause->where),
             CN_STRING_OR_NOT("why", cause->why), make_bound_member("work", true, cause->work),
             CN_STRING_OR_NOT("file", cause->file), CN_STRING_OR_NOT("directory", cause->directory),
             CN_NUMBER_OR_NOT("line", cause->line), CN_NUMBER_OR_NOT("column", cause->column));
  cn_json_out_close_bracket(json);
}

void cn_verify_print_time_json(void *env, const struct cairn_time *time)
{
  struct cn_json_writer json = {.out = stdout};

  check_time(time);
  cn_json_out_open_on_line(&json, NULL, '{');
  CN_MEMBERS(&json, CN_STRING("function", time->function), CN_STRING_OR_NOT("module", env),
             CN_NUMBER("units_per_us", CAIRN_TIME_PER_US), make_bound_member("enter", time->polls, time->enter),
             make_bound_member("between", time->polls, time->between),
             make_bound_member("leave", time->polls, time->leave),
             make_bound_member("through", time->passes, time->through), CN_BOOL("recursive", time->recursive),
             CN_BOOL("nopoll", time->nopoll), CN_NUMBER("regions", time->regions), CN_STRING_OR_NOT("file", time->file),
             CN_STRING_OR_NOT("directory", time->directory), CN_NUMBER_OR_NOT("line", time->line));
  if (time->cause_count)
    cn_json_out_open_bracket(&json, "causes", '[');
  for (size_t i = 0; i < time->cause_count; i++)
    print_cause_json(&json, &time->causes[i]);
  if (time->cause_count)
    cn_json_out_close_bracket(&json);
  cn_json_out_close_bracket(&json);
}
