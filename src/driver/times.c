/* SPDX-License-Identifier: Apache-2.0
 *
 * `--time-passes`: a table of how long passes took.
 */
#include "driver/times.h"

#include <string.h>

static struct cn_time_row *row_of(struct cn_times *times, const char *pass)
{
  for (size_t i = 0; i < times->rows.count; i++)
    if (strcmp(times->rows.at[i].pass, pass) == 0)
      return &times->rows.at[i];
  cn_push(&times->rows, (struct cn_time_row){.pass = cn_strdup(pass)});
  return &times->rows.at[times->rows.count - 1];
}

void cn_times_add(void *env, const struct cairn_pass_time *time)
{
  struct cn_time_row *row = row_of(env, time->pass);

  row->runs++;
  row->wall += time->wall;
  row->user += time->user;
  row->system += time->system;
}

static void print_row(const struct cn_time_row *row, FILE *out)
{
  fprintf(out, "%12.6f %12.6f %12.6f %6u  %s\n", row->wall, row->user, row->system, row->runs,
          row->pass);
}

void cn_times_print(const struct cn_times *times, FILE *out)
{
  struct cn_time_row all = {.pass = (char[]){"total"}};

  fprintf(out, "%12s %12s %12s %6s  %s\n", "wall s", "user s", "system s", "runs", "pass");
  for (size_t i = 0; i < times->rows.count; i++) {
    const struct cn_time_row *row = &times->rows.at[i];
    print_row(row, out);
    all.runs += row->runs;
    all.wall += row->wall;
    all.user += row->user;
    all.system += row->system;
  }
  print_row(&all, out);
}

void cn_times_free(struct cn_times *times)
{
  for (size_t i = 0; i < times->rows.count; i++)
    free(times->rows.at[i].pass);
  cn_free(&times->rows);
}
