/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the check of one function, shared by refuse*.c. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_REFUSE_H
#define CN_COMPILE_REWRITE_REFUSE_H

#include "base/ptrmap.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* The checked function, and the facts found so far. */
struct cn_function_check {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg; /* built at the first refusal, to exempt unreachable code */
  bool has_cfg, has_points;
  struct cn_ptrmap known; /* types and constants that are checked already */
  bool hardened;          /* the hardening of loads is reported already */
};

/* ---- refuse_at.c ---- */

/* True if `instruction` is in a reachable block. */
bool cn_refuse_is_reachable(struct cn_function_check *judge, LLVMValueRef instruction);
/* Report `at` if it is reachable. */
void cn_refuse_at(struct cn_function_check *judge, LLVMValueRef at, const char *rule, const char *why);

/* ---- refuse_calls.c ---- */

void cn_refuse_call(struct cn_function_check *judge, LLVMValueRef call);

/* refuse_kinds.c: refuse opcodes, types, constants and attributes that are unknown to the passes. */
void cn_refuse_instruction_kinds(struct cn_function_check *judge, LLVMValueRef instruction);
/* As cn_refuse_instruction_kinds(), for the parameters and attributes of the function. */
void cn_refuse_signature_kinds(struct cn_function_check *judge);

/* refuse_hardening.c: refuse mitigations that prevent statepoints of calls. */
void cn_refuse_hardening(struct cn_function_check *judge, LLVMValueRef call);

/* refuse_words.c: in modules whose words may be immediates, refuse pointers that leave the function with low bits of an
 * immediate. */
void cn_refuse_unaligned_words(struct cn_ctx *ctx, LLVMValueRef function, struct cn_function_check *judge);

/* ---- refuse.c ---- */

/* Report everything in `function` that rewriting must refuse. True if the function passes all checks and lacks
 * statepoints. */
bool cn_refuse_function(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- refuse_signature.c ---- */

void cn_refuse_strategy(struct cn_ctx *ctx, LLVMValueRef function);
/* Refuse parameters and conventions that a function with parse points cannot have. */
void cn_refuse_signature(struct cn_ctx *ctx, LLVMValueRef function);
/* Refuse functions with parse points for the limits of the target's port (convention.h): frames with a part of unknown
 * size, changes of the processor's state for calls, and arguments in memory that a callee pops. */
void cn_refuse_for_target(struct cn_function_check *judge);
bool cn_is_scalable_reference_vector(LLVMTypeRef type);

#endif
