/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: the questions under cn_classify_call() (pass.h). Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_CALLS_H
#define CN_COMPILE_ANALYSIS_CALLS_H

#include <stdio.h>
#include "compile/core/pass.h"

/* Unbounded work. */
#define CN_WORK_UNKNOWN UINT64_MAX

/* The reason why the C function `name` is a leaf, from the table in leaf_functions.def, or null if the table lacks it
 * (leaf_functions.c). */
const char *cn_calls_leaf_reason(const char *name);
/* The work of a call of leaf `name`, in units of cost.h, unless its arguments say otherwise (leaf_functions.c). */
uint64_t cn_calls_leaf_work(const char *name);

/* A call for messages: "call to @foo", "indirect call", ...; into the caller's buffer. */
const char *cn_calls_describe(LLVMValueRef call, char *buffer, size_t size);

/* True if `call` (or the function that it names directly) has the attribute. */
bool cn_calls_has_attribute(LLVMValueRef call, const char *enum_attribute);

/* True if the call site itself has any attribute. Most sites promise nothing. */
bool cn_calls_site_has_attributes(LLVMValueRef call, unsigned arguments);

/* True if a function of this type takes or returns references, as its type tells. */
bool cn_calls_type_has_refs(LLVMTypeRef function_type);

/* Operands [*first, *end) of `call` are its operand bundle `tag`. False, and both 0, if it is absent. */
bool cn_calls_find_bundle(LLVMValueRef call, const char *tag, uint32_t *first, uint32_t *end);

/* True for a call of memcpy or memmove, as an intrinsic. Operands: to, from, length. */
bool cn_calls_is_memory_copy(LLVMValueRef instruction);

/* The argument of a leaf whose object the result points into: marked "returned" (it is the result), or "cairn-base" by
 * a front end. Null: the result is a base. */
LLVMValueRef cn_calls_base_argument(LLVMValueRef call);

/* True if all objects stay in place during the call, or statepoint, though it is recorded (CN_ATTR_STILL). */
bool cn_calls_keeps_objects_in_place(LLVMValueRef call);

/* True for a call marked musttail. */
bool cn_calls_is_musttail(LLVMValueRef instruction);

/* The metadata `name` of a call, of a kind that LLVM does not know by itself; or null. A query for a kind creates it,
 * which changes the module's bitcode: so it is made only where there may be some. */
LLVMValueRef cn_calls_find_metadata(LLVMValueRef call, const char *name);

/* True for the name of a marker: an undefined function whose calls mark something for our passes, until drop-markers
 * deletes them. */
bool cn_calls_is_marker_name(const char *name);
/* True for cairn.tag.from, cairn.tag.is and cairn.tag.value. */
bool cn_calls_is_tag_name(const char *name);

/* True for call, invoke and callbr. */
bool cn_is_call(LLVMValueRef instruction);

/* True if the reference arguments of this call, or statepoint, are listed though they die there. */
bool cn_calls_lists_operands(LLVMValueRef call);

/* True for a call, in line, of an intrinsic that touches references and lacks a row (effects/intrinsics.h). */
bool cn_calls_is_unknown_intrinsic(LLVMValueRef instruction);

/* True if a function has come through the rewriter: it has statepoints, polls or slow paths. */
bool cn_calls_is_rewritten_function(LLVMValueRef function);

#endif
