/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathers and prints the table of `cairn opt --time-passes` and `cairn-cc -fcairn-times`, which has the times of passes
 * and of the steps before and after the passes.
 */
#ifndef CN_DRIVER_TIMES_H
#define CN_DRIVER_TIMES_H

#include <stdio.h>
#include <cairn/compile.h>
#include "base/vector.h"

struct cn_pass_time_row {
  char *pass;
  unsigned runs;
  double wall, user, system; /* sums of seconds */
};
/* The times of passes, in the order of their first runs. */
struct cn_pass_times {
  CN_VECTOR(struct cn_pass_time_row) rows;
};

/* A cairn_pass_timer; its `env` is a struct cn_pass_times. */
void cn_times_add_run(void *env, const struct cairn_pass_time *time);

/* Read the clocks of this process and of its ended children. The result is zero if `options` has no timer. */
struct cairn_pass_time cn_times_start_step(const struct cairn_compile_options *options);
/* Report to the timer, if there is one, that `step` took the time since `since`. */
void cn_times_stop_step(const struct cairn_compile_options *options, const struct cairn_pass_time *since,
                        const char *step);

void cn_times_print(const struct cn_pass_times *times, FILE *out);
void cn_times_free(struct cn_pass_times *times);

#endif
