/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls on long paths of short pieces. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LONG_PATH_POLLS_H
#define CN_COMPILE_PLACE_LONG_PATH_POLLS_H

#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"

/* Add to `sites` the polls that keep the function of `loops` from more than cn_work_limit() between two safepoints. */
void cn_long_path_polls_sites(struct cn_ctx *ctx, const struct cn_loops *loops, struct cn_work_known *known,
                              struct cn_poll_sites *sites);

#endif
