/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: what cn_classify_call() (pass.h) rests on. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_CALLS_H
#define CN_COMPILE_ANALYSIS_CALLS_H

#include <stdio.h>
#include "compile/core/pass.h"

/* Work of which there is no bound. */
#define CN_WORK_UNKNOWN UINT64_MAX

/* Why the C function `name` is a leaf, from the table in leaf_functions.def, or null if it is not
 * in it (leaf_functions.c). */
const char *cn_calls_leaf_reason(const char *name);
/* What a call of it does, in units of cost.h, if its arguments say nothing of that
 * (leaf_functions.c). */
uint64_t cn_calls_leaf_work(const char *name);

/* A call for messages: "call to @foo", "indirect call", ...; into the caller's buffer. */
const char *cn_calls_name(LLVMValueRef call, char *buffer, size_t size);

/* Has `call` (or the function that it names directly) the attribute? */
bool cn_calls_have(LLVMValueRef call, const char *enum_attribute);

/* Has the call site any attribute of its own? Most promise nothing. */
bool cn_calls_have_attributes(LLVMValueRef call, unsigned arguments);

/* Does a function of this type take or return references, as its type tells? */
bool cn_calls_type_has_refs(LLVMTypeRef function_type);

/* Operands [*first, *end) of `call` are its operand bundle `tag`. False, and both 0, without it. */
bool cn_calls_bundle(LLVMValueRef call, const char *tag, uint32_t *first, uint32_t *end);

/* Is `instruction` a call of memcpy or memmove, as an intrinsic? Operands: to, from, length. */
bool cn_calls_copy(LLVMValueRef instruction);

/* The argument of a leaf into whose object the result points: marked "returned" (it is the result),
 * or "cairn-base" by a front end. Null: the result is a base. */
LLVMValueRef cn_calls_base(LLVMValueRef call);

/* Is it a call marked musttail? */
bool cn_calls_musttail(LLVMValueRef instruction);

/* The metadata `name`, a kind that LLVM does not know by itself, of a call; or null. To ask for a
 * kind makes it, which changes the module's bitcode: that is done only where there may be some. */
LLVMValueRef cn_calls_metadata(LLVMValueRef call, const char *name);

/* Is a function of this name, which nobody defines, one of those whose calls mark something for
 * passes of ours, until drop-markers deletes them? */
bool cn_calls_is_marker(const char *name);

/* True for call, invoke and callbr. */
bool cn_is_call(LLVMValueRef instruction);

/* Are the references that this call, or statepoint, is given listed though they die there? */
bool cn_calls_list_operands(LLVMValueRef call);

/* Has a function come through the rewriter? It has statepoints, polls or slow paths. */
bool cn_calls_rewritten(LLVMValueRef function);

#endif
