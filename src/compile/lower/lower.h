/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of compile/lower for passes of other rooms. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_LOWER_H
#define CN_COMPILE_LOWER_LOWER_H

#include "compile/core/pass.h"

/* ---- check_stores.c: stores of references through ordinary pointers ---- */

/* Mark the stores of references through ordinary pointers in `function`, so that the optimiser keeps these stores
 * separate. */
void cn_mark_unproved_stores(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- differences.c: differences of references ---- */

/* If `instruction` is a difference of two references in the form of front ends (sub of two ptrtoint), set `operands` to
 * the references and return `instruction`. Otherwise return null. */
LLVMValueRef cn_differences_match(LLVMValueRef instruction, LLVMValueRef operands[2]);

/* Build the distance between two references into one object, for the rewriter. If the optimiser runs after the
 * rewriter, the distance is an opaque call, because the optimiser would compute it from addresses on both sides of a
 * safepoint. */
LLVMValueRef cn_differences_build_distance(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef to,
                                           LLVMValueRef from);

/* Hide the differences of references in `function` from the optimiser, until pass `lower-differences` turns them into
 * subtractions again. */
void cn_differences_hide_subtractions(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- slow_paths.c: thunks of the runtime's stubs ---- */

/* Define the hidden thunk of the stub `name`, "cairn.slow." and the name, in the module's assembly, once. */
void cn_slow_paths_add_thunk(struct cn_ctx *ctx, const char *name);

/* ---- special_calls.c: calls that must be replaced by other calls before they can be safepoints ---- */

/* Report an error if the parse point `call` must be replaced by an ordinary call but has an unsupported form. */
void cn_special_refuse_call(struct cn_ctx *ctx, LLVMValueRef call);

/* Replace the guards, deoptimisations and element-wise atomic copies of a function by ordinary calls, except those that
 * cn_special_refuse_call() reports. */
void cn_special_lower_intrinsics(struct cn_ctx *ctx, LLVMValueRef function);

/* Replace the calls of variadic callees in a function by calls of internal functions that make the variadic calls. */
void cn_special_lower_variadic(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- statepoint_flaws.c: flaws of statepoints: parts of a call that a statepoint would lose ---- */

/* Receives each flaw of `call`: the rule, and the reason without the call's name. */
typedef void cn_flaw_callback(void *to, LLVMValueRef call, const char *rule, const char *why);

/* Report the flaws of a statepoint, or of a call that becomes a statepoint, in its callee, convention, operands and
 * bundles. */
void cn_report_parse_point_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to);
void cn_report_bundle_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to);
/* Report the flaws of a bundle "deopt". LLVM makes a record for the bundle at any call. */
void cn_report_deopt_flaws(LLVMValueRef call, cn_flaw_callback *report, void *to);

/* Refuse the module's own statepoints, and bundles "deopt" on any call, if the code generator would drop a part of
 * their records. */
void cn_refuse_statepoint_flaws(struct cn_ctx *ctx);
void cn_refuse_statepoint_flaws_in(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- tags.c: immediates in words ---- */

/* Check the module's kind of words and its declarations of cairn.tag.from, cairn.tag.is and cairn.tag.value, and give
 * these functions the attributes that the optimiser may rely on. */
void cn_tags_prepare_functions(struct cn_ctx *ctx);

/* ---- deopt_operands.c ---- */

/* Replace operands of bundles "deopt" that LLVM's code generator would record as other values. */
void cn_deopt_operands_replace(struct cn_ctx *ctx, LLVMValueRef function);

#endif
