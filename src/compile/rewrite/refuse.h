/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of refuse.c share. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_REFUSE_H
#define CN_COMPILE_REWRITE_REFUSE_H

#include "base/ptrmap.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* The function that is judged, and what is known of it so far. */
struct cn_judge {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg; /* built for the first refusal: unreachable code is not refused */
  bool has_cfg, has_points;
  struct cn_ptrmap known; /* types and constants that have been looked at */
  bool hardened;          /* the hardening of loads has been reported */
};

/* ---- refuse_at.c ---- */

/* Is `instruction` in a reachable block? */
bool cn_refuse_reachable(struct cn_judge *judge, LLVMValueRef instruction);
/* Report `at`, unless it is unreachable. */
void cn_refuse_at(struct cn_judge *judge, LLVMValueRef at, const char *rule, const char *why);

/* ---- refuse_calls.c ---- */

void cn_refuse_call(struct cn_judge *judge, LLVMValueRef call);

/* refuse_kinds.c: opcodes, types, constants and attributes that no pass knows. */
void cn_refuse_kinds(struct cn_judge *judge, LLVMValueRef instruction);
/* The same of the function's parameters and attributes. */
void cn_refuse_signature_kinds(struct cn_judge *judge);

/* refuse_hardening.c: mitigations under which a call cannot be a statepoint. */
void cn_refuse_hardening(struct cn_judge *judge, LLVMValueRef call);

/* refuse_words.c: in modules whose words may be immediates, pointers that leave the function and
 * look like one. */
void cn_refuse_words(struct cn_ctx *ctx, LLVMValueRef function, struct cn_judge *judge);

/* ---- refuse.c ---- */

/* Report everything in `function` that cannot be rewritten. True if there is nothing, and the
 * function was not rewritten before. */
bool cn_refuse(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- refuse_signature.c ---- */

void cn_refuse_strategy(struct cn_ctx *ctx, LLVMValueRef function);
/* Parameters and convention of a function with parse points. */
void cn_refuse_signature(struct cn_ctx *ctx, LLVMValueRef function);
bool cn_refuse_scalable(LLVMTypeRef type);

#endif
