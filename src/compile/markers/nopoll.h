/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions free of safepoints. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_NOPOLL_H
#define CN_COMPILE_MARKERS_NOPOLL_H

#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* True if a function of the module has the attribute "cairn-nopoll", or a region. */
bool cn_nopoll_is_used_in_module(struct cn_ctx *ctx);

/* True if `function` itself must be free of safepoints: it has the attribute. */
bool cn_nopoll_has_attribute(LLVMValueRef function);

/* Report regions that stay open, and calls in a region that may come to a safepoint. */
bool cn_nopoll_check(struct cn_ctx *ctx);

/* True if a poll before `at` would lie in a region. */
bool cn_nopoll_is_in_region(struct cn_ctx *ctx, LLVMValueRef at);

/* The number of regions that are open at the start of each block, by index; the caller frees it. Null: the function is
 * free of regions. */
uint32_t *cn_nopoll_compute_depths(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* The number of regions open before `at`, if `depth` are open at the start of its block. */
uint32_t cn_nopoll_depth_before(LLVMValueRef at, uint32_t depth);

/* The first instruction of the block from `at` on that lies outside of all regions, if `depth` are open at `at`; or
 * null. */
LLVMValueRef cn_nopoll_find_outside(LLVMValueRef at, uint32_t depth);

/* Open a region at the entry of `function`, and close it before each return, so that it stays a region where the
 * function is inlined. */
void cn_nopoll_wrap(struct cn_ctx *ctx, LLVMValueRef function);

/* Tell the optimiser the facts that it may use about the markers. */
void cn_nopoll_add_marker_attributes(struct cn_ctx *ctx);

/* Delete the markers of regions. False, after an error, if one is used wrongly. */
bool cn_nopoll_drop_markers(struct cn_ctx *ctx);

#endif
