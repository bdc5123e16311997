/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that bring IR into the forms that the rest of rewrite-statepoints knows. Private to it.
 */
#ifndef CN_COMPILE_REWRITE_NORMALISE_NORMALISE_H
#define CN_COMPILE_REWRITE_NORMALISE_NORMALISE_H

#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* ---- vector_intrinsics.c ---- */

/* Rewrite intrinsics and casts that yield references into what the other steps know. */
void cn_vector_intrinsics_lower(struct cn_ctx *ctx, LLVMValueRef function);
/* Is `call` one of those intrinsics? */
bool cn_vector_intrinsics_know(LLVMValueRef call);

/* ---- redundant_phis.c ---- */

/* Replace phis of references into which one value alone comes by that. */
void cn_redundant_phis_fold(LLVMValueRef function);

/* ---- dead_phis.c ---- */

/* dead_phis.c: drop phis of references that nothing but such phis reads. */
void cn_dead_phis_drop(const struct cn_ctx *ctx, LLVMValueRef function);

/* ---- managed_allocas.c ---- */

/* Report addresses of allocas in managed address spaces that get where references are. */
void cn_managed_allocas_refuse(struct cn_ctx *ctx, LLVMValueRef function);
/* Make ordinary locals of those that hold references. */
void cn_managed_allocas_lower(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- merge_locals.c ---- */

/* Make one array of many locals of a type that holds references. */
void cn_merge_locals(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- strip_attributes.c ---- */

/* Remove attributes and metadata that a moving collector makes false. */
void cn_strip_attributes_function(struct cn_ctx *ctx, LLVMValueRef function);
/* The same for what functions that are not defined here and globals promise. */
void cn_strip_attributes_declarations(struct cn_ctx *ctx);

/* ---- undef.c ---- */

/* Make undefined references of one function null (undef.c). */
void cn_undef_define(LLVMValueRef function);

/* ---- unreachable.c ---- */

/* Delete the blocks that `cfg` does not have; it stays valid. */
void cn_unreachable_delete(struct cn_ctx *ctx, const struct cn_cfg *cfg);

#endif
