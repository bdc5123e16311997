/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of pass prepare and of pass restore-references. Private to src/compile.
 */
#ifndef CN_COMPILE_OPTIMISE_PREPARE_H
#define CN_COMPILE_OPTIMISE_PREPARE_H

#include "compile/core/pass.h"

/* The two steps of prepare. The first step reads one function at a time, the second step all functions that the
 * optimiser sees together; link-time optimisation joins units between the two steps (lto.c). */
bool cn_prepare_unit(struct cn_ctx *ctx);
bool cn_prepare_program(struct cn_ctx *ctx);

/* body_addresses.c: replace addresses of bodies by addresses of functions, where the functions need no entry. */
void cn_body_addresses_replace(struct cn_ctx *ctx);

/* callee_attributes.c: turn the promises that C makes about callees into an attribute of the calls. */
void cn_callee_attributes_add(struct cn_ctx *ctx);

/* copies.c: before the promotion of locals, copy locals field by field; after the promotion, make the remaining copies
 * of eight bytes volatile. */
void cn_copies_expand(struct cn_ctx *ctx, LLVMValueRef function);
void cn_copies_make_volatile(struct cn_ctx *ctx, LLVMValueRef function);

/* Keep LLVM from turning copy loops into calls of memcpy. LLVM changes calls of memcpy further, and restore.c can undo
 * only some of the changes. */
void cn_copies_forbid_idioms(struct cn_ctx *ctx);
/* Call cn_copies_forbid_idioms() and cn_hidden_locals_prevent() for the first attempt if copies lack TBAA. */
void cn_copies_guard_without_tbaa(struct cn_ctx *ctx);

/* hidden_locals.c: report locals that hide references after optimisation; or prevent such locals by keeping locals in
 * memory. */
void cn_hidden_locals_check(struct cn_ctx *ctx, LLVMValueRef function);
void cn_hidden_locals_prevent(struct cn_ctx *ctx);

/* point_attributes.c: keep the optimiser from making invokes of stackmaps, and from inlining points. */
void cn_points_add_attributes(struct cn_ctx *ctx, LLVMValueRef function);

/* throwing_allocations.c: let an invoke of an allocation function call a new function that makes the allocation. */
void cn_throwing_allocations_move(struct cn_ctx *ctx, LLVMValueRef function);

/* split_integers.c: give each distance of references, and each comparison of addresses, separate ptrtoint instructions
 * and sums. `function` must be free of safepoints. */
void cn_address_integers_split(struct cn_ctx *ctx, LLVMValueRef function);

#endif
