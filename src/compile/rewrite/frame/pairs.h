/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots as pairs alone. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_FRAME_PAIRS_H
#define CN_COMPILE_REWRITE_FRAME_PAIRS_H

#include "compile/core/pass.h"

struct cn_refs;

/* True if every root must be a pair. */
bool cn_pairs_are_required(const struct cn_ctx *ctx);
/* If every root must be a pair, report the roots of `function` that pairs cannot describe. */
void cn_pairs_refuse_other_roots(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- token_pads.c ---- */

/* The reason why `function` cannot have pads of type token if a reference is live into one of its pads, or null. */
const char *cn_token_pads_refusal_reason(LLVMValueRef function);

/* If references are live into landing pads over parse points, give each invoke a separate pad of type token, or report
 * the reason against such pads. If true, the CFG and `refs` are outdated. */
bool cn_token_pads_make(struct cn_ctx *ctx, struct cn_refs *refs);

#endif
