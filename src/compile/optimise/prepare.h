/* SPDX-License-Identifier: Apache-2.0
 *
 * What prepare.c and rules.c must agree on, and the steps of prepare.
 */
#ifndef CN_COMPILE_OPTIMISE_PREPARE_H
#define CN_COMPILE_OPTIMISE_PREPARE_H

#include "compile/core/pass.h"

/* The two steps of prepare, between which units may be joined (lto.c): what goes by functions
 * alone, and what goes by all that the optimiser will see together. */
bool cn_prepare_unit(struct cn_ctx *ctx);
bool cn_prepare_program(struct cn_ctx *ctx);

/* callee_promises.c: what C says of callees becomes an attribute of the calls. */
void cn_callee_promises_take(struct cn_ctx *ctx);

/* copies.c: before promotion, copies of locals field by field; after it, what is left of eight
 * bytes pinned. */
void cn_copies_expand(struct cn_ctx *ctx, LLVMValueRef function);
void cn_copies_pin(struct cn_ctx *ctx, LLVMValueRef function);

/* Keep LLVM from making copy loops calls of memcpy: what it makes of those cannot always be
 * undone (restore.c). */
void cn_copies_forbid_idioms(struct cn_ctx *ctx);
/* Where TBAA does not tell what is copied, do that and cn_hidden_escape() from the start. */
void cn_copies_without_tags(struct cn_ctx *ctx);

/* hidden_locals.c: report locals in which the optimiser hides references; keep it from that, at a
 * price.
 */
void cn_hidden_check(struct cn_ctx *ctx, LLVMValueRef function);
void cn_hidden_escape(struct cn_ctx *ctx);

/* split_integers.c: distances of references, and comparisons of their addresses, get a ptrtoint of
 * their own, and what is added to it. Before there are safepoints only. */
void cn_integers_sink(struct cn_ctx *ctx, LLVMValueRef function);

#endif
