/* SPDX-License-Identifier: Apache-2.0
 *
 * Statepoints back into plain calls. Private to src/compile.
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
/* Strip the statepoints of the module, which was accepted: all, or those of managed functions. A non-null `out` gets
 * the calls that they become, in order. */
struct cn_stripped_calls {
  CN_VECTOR(LLVMValueRef) calls;
};
void cn_strip_module_statepoints(struct cn_ctx *ctx, bool managed_only, struct cn_stripped_calls *out);

/* ---- strip_slots.c ---- */

/* Tell LLVM that references are non-integral. Returns the old data layout, for cn_strip_restore_layout(), which frees
 * it. */
char *cn_strip_set_strict_layout(struct cn_ctx *ctx);
void cn_strip_restore_layout(struct cn_ctx *ctx, char *layout);
/* Promote the locals of `function`. */
void cn_strip_promote_locals(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- strip_distances.c ---- */

/* Replace a base plus the distance of a reference from it by that reference. */
void cn_strip_fold_distances(LLVMValueRef function);

/* ---- strip_deopt.c ---- */

/* The number of operands of a deopt bundle that are the program's: those before the ones that describe allocas and
 * spans (abi.def, "Described allocas", SPAN_MARK). */
uint32_t cn_strip_count_own_deopt(LLVMOperandBundleRef bundle);
/* The number of operands of a deopt bundle before those that describe spans. */
uint32_t cn_strip_count_before_spans(LLVMOperandBundleRef bundle);
/* True if `operand` is a constant of 64 bits, as Cairn's appended operands are; sets *number. */
bool cn_strip_read_number(LLVMValueRef operand, uint64_t *number);

/* ---- strip_allocas.c ---- */

/* Remove the zeroing and the escape that rewrite-statepoints inserted for the allocas that the bundle describes. Those
 * in `seen` have been done; the others are added to it. */
void cn_strip_alloca_preparations(struct cn_ctx *ctx, LLVMOperandBundleRef bundle, uint32_t own,
                                  struct cn_ptrmap *seen);

/* ---- strip_spans.c ---- */

/* In a function without markers: report a statepoint with spans that markers cannot express; put markers around the
 * call that it becomes. */
void cn_strip_refuse_spans(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint);
void cn_strip_spans_to_markers(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint,
                               LLVMValueRef call);

/* ---- strip_phis.c ---- */

/* Replace phis of pointers that only one value flows through by that value. */
void cn_strip_redundant_phis(LLVMValueRef function);

/* ---- strip_dead.c ---- */

/* Replace conversions to another address space and back by the value that was converted. */
void cn_strip_fold_casts(LLVMValueRef function);
/* Delete unused computations of pointers and of distances, rings of phis included. */
void cn_strip_dead_pointers(LLVMValueRef function);

#endif
