/* SPDX-License-Identifier: Apache-2.0
 *
 * Places polls in interpreters with computed jumps. Private to pass `place-safepoints`.
 */
#ifndef CN_COMPILE_PLACE_DISPATCH_H
#define CN_COMPILE_PLACE_DISPATCH_H

#include "compile/cost/cost.h"
#include "compile/place/poll_sites.h"

/* If an interpreter jumps to all its operations from block `latch`: add sites in the predecessors of `latch` for the
 * retreating edges out of `latch`. False leaves `sites` unchanged: `latch` is another kind of block, a predecessor
 * lacks a place for a poll, or the function has safepoint-free regions, is unoptimised, or is to be small. */
bool cn_dispatch_sites(struct cn_ctx *ctx, const struct cn_work_known *known, const struct cn_cfg *cfg, uint32_t latch,
                       struct cn_poll_sites *sites);

#endif
