/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathers the times that passes and other steps took, in the caller's table, and prints the table to the caller's
 * stream. Runs before and after each step, and prints at the end of the command. Reads the clocks of the process and of
 * its ended children; the file holds no state.
 */
#include "driver/times.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "base/check.h"

static struct cn_pass_time_row *row_of_pass(struct cn_pass_times *times, const char *pass)
{
  for (size_t i = 0; i < times->rows.count; i++)
    if (strcmp(times->rows.at[i].pass, pass) == 0)
      return &times->rows.at[i];
  cn_push(&times->rows, (struct cn_pass_time_row){.pass = cn_strdup(pass)});
  return &times->rows.at[times->rows.count - 1];
}

void cn_times_add_run(void *env, const struct cairn_pass_time *time)
{
  CN_CHECK(time->pass != NULL);
  struct cn_pass_time_row *row = row_of_pass(env, time->pass);

  row->runs++;
  row->wall += time->wall;
  row->user += time->user;
  row->system += time->system;
}

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

struct cairn_pass_time cn_times_start_step(const struct cairn_compile_options *options)
{
  struct timespec now;
  struct rusage own, others;

  if (!options->timer)
    return (struct cairn_pass_time){0};
  CN_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  CN_CHECK(getrusage(RUSAGE_SELF, &own) == 0 && getrusage(RUSAGE_CHILDREN, &others) == 0);
  return (struct cairn_pass_time){.wall = (double)now.tv_sec + (double)now.tv_nsec / 1e9,
                                  .user = seconds_of(own.ru_utime) + seconds_of(others.ru_utime),
                                  .system = seconds_of(own.ru_stime) + seconds_of(others.ru_stime)};
}

void cn_times_stop_step(const struct cairn_compile_options *options, const struct cairn_pass_time *since,
                        const char *step)
{
  if (!options->timer)
    return;
  struct cairn_pass_time time = cn_times_start_step(options);
  time.pass = step;
  time.wall -= since->wall;
  CN_CHECK(time.wall >= 0); /* a monotonic clock */
  time.user -= since->user;
  time.system -= since->system;
  options->timer(options->timer_env, &time);
}

static void print_row(const struct cn_pass_time_row *row, FILE *out)
{
  fprintf(out, "%12.6f %12.6f %12.6f %6u  %s\n", row->wall, row->user, row->system, row->runs, row->pass);
}

void cn_times_print(const struct cn_pass_times *times, FILE *out)
{
  struct cn_pass_time_row all = {.pass = (char[]){"total"}};

  fprintf(out, "%12s %12s %12s %6s  %s\n", "wall s", "user s", "system s", "runs", "pass");
  for (size_t i = 0; i < times->rows.count; i++) {
    const struct cn_pass_time_row *row = &times->rows.at[i];
    print_row(row, out);
    all.runs += row->runs;
    all.wall += row->wall;
    all.user += row->user;
    all.system += row->system;
  }
  CN_CHECK(times->rows.count == 0 || all.runs > 0);
  print_row(&all, out);
}

void cn_times_free(struct cn_pass_times *times)
{
  for (size_t i = 0; i < times->rows.count; i++)
    free(times->rows.at[i].pass);
  cn_free(&times->rows);
}
