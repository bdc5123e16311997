/* SPDX-License-Identifier: Apache-2.0
 *
 * Times of passes, for the caller's timer (cairn_compile_options). Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_STOPWATCH_H
#define CN_COMPILE_CORE_STOPWATCH_H

#include "compile/core/pass.h"

/* The clocks at the start of a pass; zero unless there is a timer. */
struct cn_stopwatch {
  double wall, user, system;
};

struct cn_stopwatch cn_stopwatch_start(const struct cn_ctx *ctx);
/* Give the caller's timer, if there is one, the time since. */
void cn_stopwatch_stop(const struct cn_ctx *ctx, const struct cn_stopwatch *since, const char *pass);

#endif
