/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoint-free regions. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_NOPOLL_H
#define CN_COMPILE_MARKERS_NOPOLL_H

#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* True if the module has a function with the attribute "cairn-nopoll", or a marker of regions. */
bool cn_nopoll_is_used_in_module(struct cn_ctx *ctx);

/* True if `function` has the attribute "cairn-nopoll", so that it must be free of safepoints. */
bool cn_nopoll_has_attribute(LLVMValueRef function);

/* Report regions that stay open, and calls in regions that may reach a safepoint. False after errors. */
bool cn_nopoll_check(struct cn_ctx *ctx);

bool cn_nopoll_is_in_region(struct cn_ctx *ctx, LLVMValueRef at);

/* The number of open regions at the start of each block, by block index, or null if the function has no regions. The
 * caller frees the result. */
uint32_t *cn_nopoll_compute_depths(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* The number of open regions before `at`, if `depth` regions are open at the start of its block. */
uint32_t cn_nopoll_depth_before(LLVMValueRef at, uint32_t depth);

/* The first instruction from `at` on in its block that is outside of all regions, or null. `depth` regions are open at
 * `at`. */
LLVMValueRef cn_nopoll_find_outside(LLVMValueRef at, uint32_t depth);

/* Open a region at the entry of `function`, and close it before each return, so that the code stays a region after
 * inlining. */
void cn_nopoll_wrap(struct cn_ctx *ctx, LLVMValueRef function);

/* Add attributes for the optimiser to the declarations of the markers. */
void cn_nopoll_add_marker_attributes(struct cn_ctx *ctx);

/* Delete the markers of regions. Reports an error and returns false if a marker is used wrongly. */
bool cn_nopoll_drop_markers(struct cn_ctx *ctx);

#endif
