/* SPDX-License-Identifier: Apache-2.0
 *
 * Types of C in the debug information of clang -g. Debug information omits address spaces: a reference is a pointer
 * with the BTF type tag of include/cairn/cairn.h.
 */
#ifndef CN_COMPILE_SOURCE_DEBUG_TYPES_H
#define CN_COMPILE_SOURCE_DEBUG_TYPES_H

#include "compile/core/pass.h"

/* DWARF tags. */
enum {
  CN_DW_TAG_ARRAY = 0x01,
  CN_DW_TAG_ENUMERATION = 0x04,
  CN_DW_TAG_MEMBER = 0x0d,
  CN_DW_TAG_POINTER = 0x0f,
  CN_DW_TAG_STRUCTURE = 0x13,
  CN_DW_TAG_TYPEDEF = 0x16,
  CN_DW_TAG_UNION = 0x17
};
/* Operand numbers of type nodes and of variable nodes. */
enum {
  CN_DEBUG_FILE_OPERAND = 0,
  CN_DEBUG_BASE_OPERAND = 5,
  CN_DEBUG_ELEMENTS_OPERAND = 6,
  CN_DEBUG_ANNOTATIONS_OPERAND = 7
};
enum { CN_DEBUG_OWN_ANNOTATIONS_OPERAND = 15 }; /* the annotations of a struct, a union or an array */
enum { CN_DEBUG_NAME_OPERAND = 1, CN_DEBUG_TYPE_OPERAND = 3 };

/* An operand of a node, as a value: a constant or metadata. Null if the operand is absent. */
LLVMValueRef cn_debug_operand_value(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index);
LLVMMetadataRef cn_debug_operand(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned index);
/* The number of operands of `node`; 0 if the node is null. */
unsigned cn_debug_operand_count(struct cn_ctx *ctx, LLVMMetadataRef node);

/* True if `node` is the string `text`; false for null. */
bool cn_debug_is_string(struct cn_ctx *ctx, LLVMMetadataRef node, const char *text);

/* True if `node` is a type node whose operands this file can read; false for null. */
bool cn_debug_is_type(LLVMMetadataRef node);
bool cn_debug_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type);

/* True if operand `annotations` of a struct or member has the BTF declaration tag `tag`. */
bool cn_debug_has_tag(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned annotations, const char *tag);

/* True if `type`, or a typedef on the path to it, has the declaration tag. For an array, the tag of the element type
 * counts. */
bool cn_debug_type_has_tag(struct cn_ctx *ctx, LLVMMetadataRef type, const char *tag);

/* The bytes of a type. */
uint64_t cn_debug_type_size(struct cn_ctx *ctx, LLVMMetadataRef type);

/* The type without its typedefs and qualifiers. */
LLVMMetadataRef cn_debug_strip_typedefs(struct cn_ctx *ctx, LLVMMetadataRef type);

/* The variable node of a global's debug information, or null. */
LLVMMetadataRef cn_debug_variable(struct cn_ctx *ctx, LLVMValueRef global);

#endif
