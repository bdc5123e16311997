/* SPDX-License-Identifier: Apache-2.0
 *
 * The metadata of a layout static: the facts of an object's type other than its references. Front ends make it, for C
 * source/type_names.c; layout_constants.c reads it.
 *
 *   !cairn.type !{!"NAME", ...}
 *
 * Each further operand is a property that the collector heeds, !"finalisable", !"never-moves" or !"ephemeron", or a
 * field, !{!"NAME", i64 OFFSET, ...}. After the offset come i64 COUNT and i64 STRIDE for each array that the field is
 * in (framemap/layout_names.h), and in the end !"weak" if its references do not keep their objects alive.
 */
#ifndef CN_COMPILE_ALLOCATION_TYPE_METADATA_H
#define CN_COMPILE_ALLOCATION_TYPE_METADATA_H

#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_MAX_FIELD_ARRAY_DEPTH = 8 }; /* nested arrays */

struct cn_weak_field {
  uint64_t offset, counts[CN_MAX_FIELD_ARRAY_DEPTH], strides[CN_MAX_FIELD_ARRAY_DEPTH];
  unsigned depth;
};

/* The metadata of a type. */
struct cn_type_metadata {
  char *names;    /* in the form of framemap/layout_names.h */
  uint32_t flags; /* CAIRN_ABI_LAYOUT_* */
  CN_VECTOR(struct cn_weak_field) weak;
};

/* Read the metadata of the type that the static `global` stands for; without metadata, the name of its LLVM type. False
 * after an error at `at`. Free *said in both cases. */
bool cn_type_metadata_read(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at, struct cn_type_metadata *said);
void cn_type_metadata_free(struct cn_type_metadata *said);

/* True if the field, in any element of its arrays, lies `offset` bytes from the payload. */
bool cn_weak_field_covers_offset(const struct cn_weak_field *field, uint64_t offset);

/* True if `global` has such metadata. */
bool cn_type_metadata_exists(struct cn_ctx *ctx, LLVMValueRef global);

/* The names as a constant string; and a new global that holds such a string. */
LLVMValueRef cn_layout_names_make_constant(struct cn_ctx *ctx, const char *names);
LLVMValueRef cn_layout_names_add_global(struct cn_ctx *ctx, LLVMValueRef string);

#endif
