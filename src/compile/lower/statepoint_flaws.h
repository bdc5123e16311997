/* SPDX-License-Identifier: Apache-2.0
 *
 * What a statepoint cannot carry. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_STATEPOINT_FLAWS_H
#define CN_COMPILE_LOWER_STATEPOINT_FLAWS_H

#include "compile/core/pass.h"

/* Told each flaw of `call`: the rule, and the reason without the call's name. */
typedef void cn_flaw(void *to, LLVMValueRef call, const char *rule, const char *why);

/* The flaws of the operands and bundles of a call that becomes a statepoint, or of a statepoint. */
void cn_flaws_of_point(LLVMValueRef call, cn_flaw *report, void *to);
/* The flaws of its bundles alone. */
void cn_flaws_of_bundles(LLVMValueRef call, cn_flaw *report, void *to);
/* The flaws of a bundle "deopt", for which LLVM makes a record of any call. */
void cn_flaws_of_deopt(LLVMValueRef call, cn_flaw *report, void *to);

/* Refuse what the code generator would lose of the records that the module asks for: of its own
 * statepoints, and of bundles "deopt" on any call. */
void cn_statepoint_flaws_refuse(struct cn_ctx *ctx);
void cn_statepoint_flaws_refuse_in(struct cn_ctx *ctx, LLVMValueRef function);

#endif
