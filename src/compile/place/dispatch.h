/* SPDX-License-Identifier: Apache-2.0
 *
 * Where interpreters with computed jumps poll. Private to pass `place-safepoints`.
 */
#ifndef CN_COMPILE_PLACE_DISPATCH_H
#define CN_COMPILE_PLACE_DISPATCH_H

#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"

/* Add sites for the retreating edges out of block `latch` in the blocks that lead to it, if it is
 * the block from which an interpreter jumps to all operations. False, and none is added: it is not,
 * or the function has regions without safepoints, or is to be small. */
bool cn_dispatch_sites(struct cn_ctx *ctx, const struct cn_work_known *known, const struct cn_cfg *cfg, uint32_t latch,
                       struct cn_poll_sites *sites);

#endif
