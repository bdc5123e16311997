/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that bring IR into the forms that the rest of rewrite-statepoints handles. Private to it.
 */
#ifndef CN_COMPILE_REWRITE_NORMALISE_NORMALISE_H
#define CN_COMPILE_REWRITE_NORMALISE_NORMALISE_H

#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* ---- vector_intrinsics.c ---- */

/* Rewrite intrinsics and casts that yield references into instructions that the other steps handle. */
void cn_vector_intrinsics_lower(struct cn_ctx *ctx, LLVMValueRef function);
/* True if cn_vector_intrinsics_lower() can rewrite `call`. */
bool cn_vector_intrinsics_can_lower(LLVMValueRef call);

/* ---- redundant_phis.c ---- */

/* Replace each phi of references by its input if all its inputs are equal. */
void cn_redundant_phis_fold(LLVMValueRef function);

/* ---- dead_phis.c ---- */

/* Drop phis of references that only phis of this kind read. */
void cn_dead_phis_drop(const struct cn_ctx *ctx, LLVMValueRef function);

/* ---- managed_allocas.c ---- */

/* Refuse addresses of managed allocas at places that the collector scans for references. */
void cn_managed_allocas_refuse(struct cn_ctx *ctx, LLVMValueRef function);
/* Turn managed allocas that hold references into ordinary locals. */
void cn_managed_allocas_lower(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- merge_locals.c ---- */

/* Merge many locals of one type that holds references into one array. */
void cn_merge_locals(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- strip_attributes.c ---- */

/* Remove attributes and metadata that a moving collector makes false. */
void cn_strip_attributes_function(struct cn_ctx *ctx, LLVMValueRef function);
/* Remove invalid attributes and metadata from declarations and globals. */
void cn_strip_attributes_declarations(struct cn_ctx *ctx);

/* ---- undef.c ---- */

/* Replace undefined references in a function by null. */
void cn_undef_replace_references(LLVMValueRef function);

/* ---- null_results.c ---- */

/* Give a result of a leaf that points into an argument, or is null, a base that is null with it. */
void cn_null_results_choose(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- unreachable.c ---- */

/* Delete the blocks that `cfg` omits as unreachable; `cfg` stays valid. */
void cn_unreachable_delete(struct cn_ctx *ctx, const struct cn_cfg *cfg);

#endif
