/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns statepoints back into plain calls. Private to src/compile.
 */
#ifndef CN_COMPILE_STRIP_STRIP_H
#define CN_COMPILE_STRIP_STRIP_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/markers/spans.h"

/* ---- strip_statepoints.c ---- */

/* Refuse the statepoints of the module that cannot be stripped. The module stays unchanged. */
void cn_strip_refuse_statepoints(struct cn_ctx *ctx);
/* Strip all statepoints of the module, or the statepoints of managed functions, after cn_strip_refuse_statepoints() has
 * accepted the module. A non-null `out` gets the resulting calls, in order. */
struct cn_stripped_calls {
  CN_VECTOR(LLVMValueRef) calls;
};
void cn_strip_module_statepoints(struct cn_ctx *ctx, bool managed_only, struct cn_stripped_calls *out);

/* ---- strip_slots.c ---- */

/* Make the data layout say that references are non-integral. Returns the old data layout for cn_strip_restore_layout(),
 * which frees it. */
char *cn_strip_set_strict_layout(struct cn_ctx *ctx);
void cn_strip_restore_layout(struct cn_ctx *ctx, char *layout);
/* Promote the locals of `function`. */
void cn_strip_promote_locals(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- strip_distances.c ---- */

/* Replace each sum of a base and a reference's distance from this base by the reference. */
void cn_strip_fold_distances(LLVMValueRef function);

/* ---- strip_deopt.c ---- */

/* The number of operands of a deopt bundle that come from the program: all before the operands that describe a
 * point, allocas and spans (abi.def, "Points", "Described allocas", SPAN_MARK). */
uint32_t cn_strip_count_own_deopt(LLVMOperandBundleRef bundle);
/* The number of operands of a deopt bundle before the operands that describe spans. */
uint32_t cn_strip_count_before_spans(LLVMOperandBundleRef bundle);
/* True if `operand` is a constant of 64 bits, like the operands that Cairn appends; sets *number. */
bool cn_strip_read_number(LLVMValueRef operand, uint64_t *number);

/* ---- strip_allocas.c ---- */

/* Remove the zeroing and the escape that rewrite-statepoints inserted for the allocas that the bundle describes.
 * Allocas in `seen` are skipped; all other allocas are added to `seen`. */
void cn_strip_alloca_preparations(struct cn_ctx *ctx, LLVMOperandBundleRef bundle, uint32_t own,
                                  struct cn_ptrmap *seen);

/* ---- strip_spans.c ---- */

/* For a function without markers: report a statepoint with spans that markers cannot express. The second function puts
 * markers around the call that the statepoint becomes. */
void cn_strip_refuse_spans(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint);
void cn_strip_spans_to_markers(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint,
                               LLVMValueRef call);

/* ---- strip_phis.c ---- */

/* Replace each phi of pointers that only one value flows through by this value. */
void cn_strip_redundant_phis(LLVMValueRef function);

/* ---- strip_dead.c ---- */

/* Replace conversions to another address space and back by the original value. */
void cn_strip_fold_casts(LLVMValueRef function);
/* Delete unused computations of pointers and of distances, cycles of phis included. */
void cn_strip_dead_pointers(LLVMValueRef function);

#endif
