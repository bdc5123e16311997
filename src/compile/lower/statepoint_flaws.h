/* SPDX-License-Identifier: Apache-2.0
 *
 * Flaws of statepoints: parts of a call that a statepoint would lose. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_STATEPOINT_FLAWS_H
#define CN_COMPILE_LOWER_STATEPOINT_FLAWS_H

#include "compile/core/pass.h"

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

#endif
