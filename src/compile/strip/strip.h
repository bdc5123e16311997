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

/* Refuse the statepoints of the module that cannot be stripped. Changes nothing. */
void cn_strip_refuse(struct cn_ctx *ctx);
/* Strip the statepoints of the module, which was not refused: all, or those of managed functions.
 * Append the calls that they become to `out`, in order, if that is not null. */
struct cn_stripped {
  CN_VECTOR(LLVMValueRef) calls;
};
void cn_strip_module(struct cn_ctx *ctx, bool managed_only, struct cn_stripped *out);

/* ---- strip_slots.c ---- */

/* Tell LLVM that references are no integers. Returns the data layout that there was, for
 * cn_strip_usual_layout(), which frees it. */
char *cn_strip_strict_layout(struct cn_ctx *ctx);
void cn_strip_usual_layout(struct cn_ctx *ctx, char *layout);
/* Promote the locals of `function`. */
void cn_strip_promote(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- strip_distances.c ---- */

/* Replace a base plus the distance of a reference from it by that reference. */
void cn_strip_fold_distances(LLVMValueRef function);

/* ---- strip_deopt.c ---- */

/* How many operands of a deopt bundle are the program's own: those before the ones that describe
 * allocas and tell of spans (abi.def, "Described allocas", SPAN_MARK). */
uint32_t cn_strip_own_deopt(LLVMOperandBundleRef bundle);
/* How many operands of a deopt bundle come before those that tell of spans. */
uint32_t cn_strip_before_spans(LLVMOperandBundleRef bundle);
/* Is `operand` a constant of 64 bits, as the operands that Cairn appends are? Sets *number. */
bool cn_strip_number(LLVMValueRef operand, uint64_t *number);

/* ---- strip_allocas.c ---- */

/* Take what rewrite-statepoints put in for the allocas that the bundle describes: zeroing and
 * escape. Those in `seen` have been done; the others are added to it. */
void cn_strip_allocas(struct cn_ctx *ctx, LLVMOperandBundleRef bundle, uint32_t own, struct cn_ptrmap *seen);

/* ---- strip_spans.c ---- */

/* In a function without markers: report a statepoint whose spans markers cannot tell; put markers
 * round the call that it becomes. */
void cn_strip_refuse_spans(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint);
void cn_strip_spans(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint, LLVMValueRef call);

/* ---- strip_phis.c ---- */

/* Replace phis of pointers through which one value alone flows by that value. */
void cn_strip_join_phis(LLVMValueRef function);

/* ---- strip_dead.c ---- */

/* Replace conversions to another address space and back by what was converted. */
void cn_strip_fold_casts(LLVMValueRef function);
/* Delete computations of pointers and of distances that nothing needs, rings of phis included. */
void cn_strip_dead(LLVMValueRef function);

#endif
