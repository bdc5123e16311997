/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of C in the debug information of clang -g. Debug information omits address spaces: a reference is a pointer
 * with the BTF type tag of include/cairn/cairn.h.
 */
#ifndef CN_COMPILE_SOURCE_DEBUG_TYPES_H
#define CN_COMPILE_SOURCE_DEBUG_TYPES_H

#include "compile/core/debug_records.h"

/* Operand numbers of type nodes; debug_records.h has more of them. */
enum { CN_DEBUG_OWN_ANNOTATIONS_OPERAND = 15 }; /* the annotations of a struct, a union or an array */
/* The number of operands of `node`; 0 if the node is null. */
unsigned cn_debug_operand_count(struct cn_ctx *ctx, LLVMMetadataRef node);

/* True if `node` is the string `text`; false for null. */
bool cn_debug_is_string(struct cn_ctx *ctx, LLVMMetadataRef node, const char *text);

bool cn_debug_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type);

/* True if operand `annotations` of a struct or member has the BTF declaration tag `tag`. */
bool cn_debug_has_tag(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned annotations, const char *tag);

/* True if `type`, or a typedef on the path to it, has the declaration tag. For an array, the tag of the element type
 * counts. */
bool cn_debug_type_has_tag(struct cn_ctx *ctx, LLVMMetadataRef type, const char *tag);

/* The bytes of a type. */
uint64_t cn_debug_type_size(struct cn_ctx *ctx, LLVMMetadataRef type);

/* The variable node of a global's debug information, or null. */
LLVMMetadataRef cn_debug_variable(struct cn_ctx *ctx, LLVMValueRef global);

#endif
