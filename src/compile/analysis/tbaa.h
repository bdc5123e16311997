/* SPDX-License-Identifier: Apache-2.0
 *
 * TBAA of memory that never changes, and of copies. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_TBAA_H
#define CN_COMPILE_ANALYSIS_TBAA_H

#include "compile/core/pass.h"

#define CN_REF_SIZE 8

/* True if an access's TBAA tag (or null) says that the memory never changes. */
bool cn_tbaa_is_immutable(LLVMValueRef tag);
/* True if a copy's tbaa.struct (or null) says that a field never changes. */
bool cn_tbaa_has_immutable_field(LLVMValueRef fields);

/* The constant length of a copy, or 0. */
uint64_t cn_tbaa_constant_copy_length(LLVMValueRef copy);
/* The tag of the field with this offset and size in a copy's tbaa.struct, or null. */
LLVMValueRef cn_tbaa_field_tag_of_copy(struct cn_ctx *ctx, LLVMValueRef copy, uint64_t offset, uint64_t size);
/* True if a TBAA tag's access type is a pointer: "any pointer", or "p<depth> <type>". */
bool cn_tbaa_is_pointer(LLVMValueRef tag);
/* True if a copy's tbaa.struct has a field that can hold a reference. */
bool cn_tbaa_may_hold_reference(struct cn_ctx *ctx, LLVMValueRef copy);
/* True if tbaa.struct says that an 8-byte copy is free of pointers. */
bool cn_tbaa_is_plain_data_copy(struct cn_ctx *ctx, LLVMValueRef copy);

#endif
