/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in tail position. Private to src/compile.
 */
#ifndef CN_COMPILE_TAIL_TAIL_H
#define CN_COMPILE_TAIL_TAIL_H

#include "compile/core/pass.h"

/* True if cn_tail_make_musttail_calls() would make a tail call of `call`: the call is marked `tail`, ends its function,
 * and needs nothing of the frame. */
bool cn_is_in_tail_position(LLVMValueRef call);
/* True if the convention of such a call and of its function guarantees the tail call, so that the call becomes musttail
 * although the signatures may differ. */
bool cn_tail_is_guaranteed(LLVMValueRef call);

/* Make calls in tail position musttail if the caller's signature suffices. Other calls in tail position stay calls
 * directly before a return. */
void cn_tail_make_musttail_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* tail_position.c: the return after `call` that returns the call's result or void, in the call's block or in a block
 * that several calls share; or null. */
LLVMValueRef cn_tail_return_of(LLVMValueRef call);
/* The terminator after `call` if only ends of lifetimes are between call and terminator; or null. */
LLVMValueRef cn_tail_terminator_after(LLVMValueRef call);

/* True if the result of `call`, with the extension that its attributes state, can be the result of its function. */
bool cn_tail_results_agree(LLVMValueRef call, LLVMTypeRef type);

/* tail_calls.c: give `to`, which replaces the call `from`, the promise of `from` that its callee is managed. */
void cn_tail_copy_promise(LLVMValueRef from, LLVMValueRef to);

/* tail_memory.c: keep the code generator from dropping arguments of tail calls in `function`. */
void cn_tail_relax_musttail_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* Attributes of a parameter that change where it is passed. */
#define CN_TAIL_PASSING \
  {"sret",       "byval",      "inalloca",     "inreg", "alignstack", "swiftself", \
   "swiftasync", "swifterror", "preallocated", "byref", "nest"}

#endif
