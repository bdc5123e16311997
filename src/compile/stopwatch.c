/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures the time of passes. The clocks are read only if the caller has a timer. Needs, breaks: nothing. Provides:
 * cn_stopwatch_start(), cn_stopwatch_stop().
 */
#include "compile/passes.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include "base/check.h"

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static struct cn_stopwatch read_clocks(void)
{
  struct timespec now;
  struct rusage usage;

  CN_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  CN_CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (struct cn_stopwatch){.wall = (double)now.tv_sec + (double)now.tv_nsec / 1e9,
                               .user = seconds_of(usage.ru_utime),
                               .system = seconds_of(usage.ru_stime)};
}

struct cn_stopwatch cn_stopwatch_start(const struct cn_ctx *ctx)
{
  return ctx->options->timer ? read_clocks() : (struct cn_stopwatch){0};
}

void cn_stopwatch_stop(const struct cn_ctx *ctx, const struct cn_stopwatch *since, const char *pass)
{
  if (!ctx->options->timer)
    return;
  struct cn_stopwatch now = read_clocks();
  struct cairn_pass_time time = {.pass = pass,
                                 .wall = now.wall - since->wall,
                                 .user = now.user - since->user,
                                 .system = now.system - since->system};
  ctx->options->timer(ctx->options->timer_env, &time);
}
