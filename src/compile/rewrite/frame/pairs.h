/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots as pairs alone. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_FRAME_PAIRS_H
#define CN_COMPILE_REWRITE_FRAME_PAIRS_H

#include "compile/core/pass.h"

struct cn_refs;

/* Is every root to be a pair? */
bool cn_pairs_only(const struct cn_ctx *ctx);
/* If so, report what in `function` cannot be one. */
void cn_pairs_refuse(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- token_pads.c ---- */

/* Where references live into landing pads over parse points: give each invoke a pad of its own,
 * those of parse points of type token, or report why not. True: the CFG and `refs` are
 * outdated. */
bool cn_token_pads(struct cn_ctx *ctx, struct cn_refs *refs);

#endif
