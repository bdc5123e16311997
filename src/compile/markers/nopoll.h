/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions without safepoints. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_NOPOLL_H
#define CN_COMPILE_MARKERS_NOPOLL_H

#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* Does a function of the module have the attribute "cairn-nopoll", or a region? */
bool cn_nopoll_wanted(struct cn_ctx *ctx);

/* Must `function` itself have no safepoint: has it the attribute? */
bool cn_nopoll_has_none(LLVMValueRef function);

/* Report regions that do not close, and calls in a region that may come to a safepoint. */
bool cn_nopoll_check(struct cn_ctx *ctx);

/* Would a poll before `at` lie in a region? */
bool cn_nopoll_cover(struct cn_ctx *ctx, LLVMValueRef at);

/* How many regions are open at the start of each block, by index; the caller frees it. Null: the
 * function has none. */
uint32_t *cn_nopoll_depths(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* How many are open before `at`, if `depth` are at the start of its block. */
uint32_t cn_nopoll_before(LLVMValueRef at, uint32_t depth);

/* The first instruction from `at` on, where `depth` regions are open, at which none is, in the same
 * block; or null. */
LLVMValueRef cn_nopoll_outside(LLVMValueRef at, uint32_t depth);

/* Open a region where `function` is entered, and close it before each return, so that it stays one
 * where the function is inlined. */
void cn_nopoll_wrap(struct cn_ctx *ctx, LLVMValueRef function);

/* Tell the optimiser what it may know of the markers. */
void cn_nopoll_describe(struct cn_ctx *ctx);

/* Delete the markers of regions. False, after an error, if one is used wrongly. */
bool cn_nopoll_drop(struct cn_ctx *ctx);

#endif
