/* SPDX-License-Identifier: Apache-2.0
 *
 * The metadata of a layout static: the facts of an object's type other than its references. Front ends write the
 * metadata (for C, source/type_names.c does), and layout_constants.c reads it.
 *
 *   !cairn.type !{!"NAME", ...}
 *
 * Each further operand is a property for the collector (!"finalisable", !"never-moves" or !"ephemeron"), or a field,
 * !{!"NAME", i64 OFFSET, ...}. A pair of i64 COUNT and i64 STRIDE follows for each array that contains the field
 * (framemap/layout_names.h). !"weak" at the end says that the field leaves its objects collectable.
 *
 *   !cairn.shared !{!"NAME", !"MODULE"}
 *
 * The program shares the layout by this name (shared_layouts.c). A further !"exported" says that the module defines the
 * layout even if the module never allocates such objects.
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

/* A field as metadata states it; of an array, its first and its last element. */
struct cn_stated_field {
  const char *name; /* the context's, without a zero at the end */
  unsigned name_length;
  uint64_t first, last; /* offsets; UINT64_MAX if the last one is larger */
};

/* The metadata of a type. */
struct cn_type_metadata {
  char *names;    /* in the form of framemap/layout_names.h */
  uint32_t flags; /* CAIRN_ABI_LAYOUT_* */
  CN_VECTOR(struct cn_stated_field) fields;
  CN_VECTOR(struct cn_weak_field) weak;
  char *shared, *module; /* null: the layout belongs to the module */
  bool exported;
};

/* Read the metadata of the type of the layout static `global`. Without metadata, read the name of the LLVM type.
 * Reports errors at `at` and then returns false. The caller frees *said in both cases. */
bool cn_type_metadata_read(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at, struct cn_type_metadata *said);
void cn_type_metadata_free(struct cn_type_metadata *said);

/* True if the field is at `offset` in the payload, in any element of its arrays. */
bool cn_weak_field_covers_offset(const struct cn_weak_field *field, uint64_t offset);

/* True for the layout statics of <cairn/cairn.h>. */
bool cn_type_metadata_is_of_c(LLVMValueRef global);

/* True if `global` has metadata of a type. */
bool cn_type_metadata_exists(struct cn_ctx *ctx, LLVMValueRef global);

/* cn_layout_names_make_constant() makes a constant string of the names; cn_layout_names_add_global() adds a global that
 * holds the string. */
LLVMValueRef cn_layout_names_make_constant(struct cn_ctx *ctx, const char *names);
LLVMValueRef cn_layout_names_add_global(struct cn_ctx *ctx, LLVMValueRef string);

#endif
