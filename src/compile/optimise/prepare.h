/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of pass prepare and of pass restore-references. Private to src/compile.
 */
#ifndef CN_COMPILE_OPTIMISE_PREPARE_H
#define CN_COMPILE_OPTIMISE_PREPARE_H

#include "compile/core/pass.h"

/* The two steps of prepare, between which units may be joined (lto.c): the first reads one function at a time, the
 * second all that the optimiser will see together. */
bool cn_prepare_unit(struct cn_ctx *ctx);
bool cn_prepare_program(struct cn_ctx *ctx);

/* callee_attributes.c: turn C's promises about callees into an attribute of the calls. */
void cn_callee_attributes_add(struct cn_ctx *ctx);

/* copies.c: before promotion, copy locals field by field; after it, pin the remaining copies of
 * eight bytes. */
void cn_copies_expand(struct cn_ctx *ctx, LLVMValueRef function);
void cn_copies_make_volatile(struct cn_ctx *ctx, LLVMValueRef function);

/* Keep LLVM from turning copy loops into calls of memcpy, which it changes further; restore.c can undo only some of
 * that. */
void cn_copies_forbid_idioms(struct cn_ctx *ctx);
/* Do that and cn_hidden_locals_prevent() from the start if copies lack TBAA. */
void cn_copies_guard_without_tbaa(struct cn_ctx *ctx);

/* hidden_locals.c: report locals that hide references after optimisation; or rule such locals out, at the price of
 * locals in memory. */
void cn_hidden_locals_check(struct cn_ctx *ctx, LLVMValueRef function);
void cn_hidden_locals_prevent(struct cn_ctx *ctx);

/* split_integers.c: give distances of references, and comparisons of their addresses, their own ptrtoint and sums. To
 * be called while `function` is free of safepoints. */
void cn_address_integers_split(struct cn_ctx *ctx, LLVMValueRef function);

#endif
