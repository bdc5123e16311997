/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of one function, shared by refuse*.c. Private to src/compile.
 */
#ifndef CN_COMPILE_REWRITE_REFUSE_H
#define CN_COMPILE_REWRITE_REFUSE_H

#include "base/ptrmap.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* The function that is judged, and the facts found so far. */
struct cn_function_check {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg; /* built for the first refusal, since unreachable code is exempt */
  bool has_cfg, has_points;
  struct cn_ptrmap known; /* types and constants that have been judged */
  bool hardened;          /* the hardening of loads has been reported */
};

/* ---- refuse_at.c ---- */

/* True if `instruction` is in a reachable block. */
bool cn_refuse_is_reachable(struct cn_function_check *judge, LLVMValueRef instruction);
/* Report `at` if it is reachable. */
void cn_refuse_at(struct cn_function_check *judge, LLVMValueRef at, const char *rule, const char *why);

/* ---- refuse_calls.c ---- */

void cn_refuse_call(struct cn_function_check *judge, LLVMValueRef call);

/* refuse_kinds.c: opcodes, types, constants and attributes unknown to all passes. */
void cn_refuse_instruction_kinds(struct cn_function_check *judge, LLVMValueRef instruction);
/* As cn_refuse_instruction_kinds(), of the function's parameters and attributes. */
void cn_refuse_signature_kinds(struct cn_function_check *judge);

/* refuse_hardening.c: mitigations that keep calls from being statepoints. */
void cn_refuse_hardening(struct cn_function_check *judge, LLVMValueRef call);

/* refuse_words.c: in modules whose words may be immediates, pointers that leave the function and look like one. */
void cn_refuse_unaligned_words(struct cn_ctx *ctx, LLVMValueRef function, struct cn_function_check *judge);

/* ---- refuse.c ---- */

/* Report everything in `function` that rewriting must refuse. True if the function is free of it, and of
 * statepoints. */
bool cn_refuse_function(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- refuse_signature.c ---- */

void cn_refuse_strategy(struct cn_ctx *ctx, LLVMValueRef function);
/* Parameters and convention of a function with parse points. */
void cn_refuse_signature(struct cn_ctx *ctx, LLVMValueRef function);
bool cn_is_scalable_reference_vector(LLVMTypeRef type);

#endif
