/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of calls that cn_classify_call() (pass.h) is built from. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_CALLS_H
#define CN_COMPILE_ANALYSIS_CALLS_H

#include <stdio.h>
#include "compile/core/pass.h"

/* Unbounded work. */
#define CN_WORK_UNKNOWN UINT64_MAX

/* The reason why the C function `name` is a leaf, from the table in leaf_functions.def, or null if the table lacks the
 * name (leaf_functions.c). */
const char *cn_calls_leaf_reason(const char *name);
/* The work of a call of leaf `name`, in units of cost.h, if the arguments give no better bound (leaf_functions.c). */
uint64_t cn_calls_leaf_work(const char *name);

/* The C library's name of a function that is called on references, which has a prefix until drop-markers; else `name`
 * itself. */
const char *cn_calls_library_name(const char *name);
/* True if C library function `name` only reads the memory of its arguments, so that these may be references. */
bool cn_calls_reads_references(const char *name);

/* Writes a description of a call to `buffer`, for messages: "call to @foo", "indirect call", ... */
const char *cn_calls_describe(LLVMValueRef call, char *buffer, size_t size);

/* True if `call` or its direct callee has the attribute. */
bool cn_calls_has_attribute(LLVMValueRef call, const char *enum_attribute);

/* True if the call site itself has any attribute. Most call sites have no attributes. */
bool cn_calls_site_has_attributes(LLVMValueRef call, unsigned arguments);

/* True if the parameter types or the result type contain references. */
bool cn_calls_type_has_refs(LLVMTypeRef function_type);

/* Sets [*first, *end) to the operands of the bundle `tag` of `call`. Returns false, with both 0, if the bundle is
 * absent. */
bool cn_calls_find_bundle(LLVMValueRef call, const char *tag, uint32_t *first, uint32_t *end);

/* True for a call of the intrinsic memcpy or memmove. The operands are destination, source and length. */
bool cn_calls_is_memory_copy(LLVMValueRef instruction);

/* The argument of a leaf whose object the result points into. The argument is marked "returned", or "cairn-base" by a
 * front end. Null if the result is a base pointer. */
LLVMValueRef cn_calls_base_argument(LLVMValueRef call);
/* The argument that is marked "cairn-base": the result points into its object, or is null. */
LLVMValueRef cn_calls_enclosing_argument(LLVMValueRef call);

/* True if all objects stay in place during the call or statepoint, although a statepoint records the call
 * (CN_ATTR_STILL). */
bool cn_calls_keeps_objects_in_place(LLVMValueRef call);

bool cn_calls_is_musttail(LLVMValueRef instruction);

/* The metadata `name` of a call, or null; LLVM itself does not define the kind. A query for a kind creates the kind and
 * so changes the module's bitcode. The function therefore queries only if the call has metadata of another kind than
 * LLVM's own. */
LLVMValueRef cn_calls_find_metadata(LLVMValueRef call, const char *name);

/* True for the name of a marker, an undefined function whose calls mark code for Cairn's passes until drop-markers
 * deletes the calls. */
bool cn_calls_is_marker_name(const char *name);
/* True for cairn.tag.from and cairn.box.from. */
bool cn_calls_is_immediate_maker(const char *name);
/* True for cairn.tag.is and cairn.box.is, which are false for objects. */
bool cn_calls_is_immediate_test(const char *name);
/* True for these functions, and for cairn.tag.value and cairn.box.bits. */
bool cn_calls_is_tag_name(const char *name);
/* True if `name` is that of a query of an object (allocation/object_queries.c). */
bool cn_calls_is_query_name(const char *name);

/* True for call, invoke and callbr. */
bool cn_is_call(LLVMValueRef instruction);

/* True if `user` is a call or statepoint in managed code that uses `function` only as its callee. */
bool cn_calls_only_as_managed(LLVMValueRef user, LLVMValueRef function);

/* True if the statepoint must list the reference arguments of the call or statepoint, even if they die there. */
bool cn_calls_lists_operands(LLVMValueRef call);

/* True for a call of an intrinsic that LLVM expands in line, that uses references, and that effects/intrinsics.h lacks.
 */
bool cn_calls_is_unknown_intrinsic(LLVMValueRef instruction);

/* True if the function has statepoints, polls or slow paths, so that the rewriter has processed its module. */
bool cn_calls_is_rewritten_function(LLVMValueRef function);

#endif
