/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn verify --time-to-safepoint`: the bounds of each function, for people and as JSON.
 */
#include "driver/tool/verify_time.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/check.h"
#include "driver/tool/json.h"

/* A function has a name and, with a line, a file; a cause has a kind and a reason. */
static void check(const struct cairn_time *time)
{
  CN_CHECK(time->function && (time->line == 0 || time->file));
  for (size_t i = 0; i < time->cause_count; i++)
    CN_ASSERT(time->causes[i].kind && time->causes[i].why);
}

/* ---- text ---- */

static void print_bound(const char *what, uint64_t work)
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
  print_bound(":", cause->work);
  printf(": %s\n", cause->why);
}

void cn_verify_print_time(void *env, const struct cairn_time *time)
{
  check(time);
  printf("@%s", time->function);
  if (time->line)
    printf(" (%s:%u)", time->file, time->line);
  if (!time->polls) {
    fputs(": no safepoint", stdout);
  } else {
    print_bound(": enter", time->enter);
    print_bound(", between", time->between);
    print_bound(", leave", time->leave);
  }
  if (time->passes)
    print_bound(", through", time->through);
  printf("%s%s", time->recursive ? ", recursive" : "", time->nopoll ? ", cairn-nopoll" : "");
  if (time->regions)
    printf(", %u region%s without safepoints", time->regions, time->regions == 1 ? "" : "s");
  putchar('\n');
  for (size_t i = 0; i < time->cause_count; i++)
    print_cause(env, &time->causes[i]);
}

/* ---- JSON ---- */

/* A missing bound is null. */
static void print_number(const char *name, uint64_t work)
{
  if (work == CAIRN_TIME_UNBOUNDED)
    printf(", \"%s\": null", name);
  else
    printf(", \"%s\": %" PRIu64, name, work);
}

static void print_place(const char *file, const char *directory, unsigned line, unsigned column)
{
  cn_json_field("file", file);
  cn_json_field("directory", directory);
  if (line)
    printf(", \"line\": %u", line);
  if (column)
    printf(", \"column\": %u", column);
}

static void print_cause_json(const struct cairn_time_cause *cause, const char *before)
{
  printf("%s{\"kind\": \"%s\"", before, cause->kind);
  cn_json_field("where", cause->where);
  cn_json_field("why", cause->why);
  print_number("work", cause->work);
  print_place(cause->file, cause->directory, cause->line, cause->column);
  putchar('}');
}

void cn_verify_print_time_json(void *env, const struct cairn_time *time)
{
  check(time);
  printf("{\"function\": ");
  cn_json_string(time->function);
  cn_json_field("module", env);
  printf(", \"units_per_us\": %d", CAIRN_TIME_PER_US);
  if (time->polls) {
    print_number("enter", time->enter);
    print_number("between", time->between);
    print_number("leave", time->leave);
  }
  if (time->passes)
    print_number("through", time->through);
  printf(", \"recursive\": %s, \"nopoll\": %s, \"regions\": %u", time->recursive ? "true" : "false",
         time->nopoll ? "true" : "false", time->regions);
  print_place(time->file, time->directory, time->line, 0);
  for (size_t i = 0; i < time->cause_count; i++)
    print_cause_json(&time->causes[i], i ? ", " : ", \"causes\": [");
  puts(time->cause_count ? "]}" : "}");
}
