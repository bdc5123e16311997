/* SPDX-License-Identifier: Apache-2.0
 *
 * What a module says of an object's type beside its references: metadata of the layout static. Made
 * by front ends, for C by source/type_names.c; read by layout_constants.c.
 *
 *   !cairn.type !{!"NAME", ...}
 *
 * Each further operand is what the type asks of the collector, !"finalisable", !"never-moves" or
 * !"ephemeron", or a field, !{!"NAME", i64 OFFSET, ...}. After that come i64 COUNT and i64 STRIDE
 * for each array that it is in (framemap/layout_names.h), and in the end !"weak" if its references
 * do not keep alive what they lead to.
 */
#ifndef CN_COMPILE_ALLOCATION_TYPE_METADATA_H
#define CN_COMPILE_ALLOCATION_TYPE_METADATA_H

#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_FIELD_DEPTH = 8 }; /* arrays in one another */

struct cn_weak_field {
  uint64_t offset, counts[CN_FIELD_DEPTH], strides[CN_FIELD_DEPTH];
  unsigned depth;
};

/* What is said of a type. */
struct cn_type_said {
  char *names;    /* as layouts have them */
  uint32_t flags; /* CAIRN_ABI_LAYOUT_* */
  CN_VECTOR(struct cn_weak_field) weak;
};

/* What the metadata of the static `global` says of the type that it stands for; without any, the
 * name of its LLVM type. False after an error at `at`. Free it either way. */
bool cn_layout_names_read(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at, struct cn_type_said *said);
void cn_layout_names_free(struct cn_type_said *said);

/* Is the field at `offset` bytes from the payload, in any of its arrays? */
bool cn_layout_names_is_at(const struct cn_weak_field *field, uint64_t offset);

/* Has it such metadata? */
bool cn_layout_names_given(struct cn_ctx *ctx, LLVMValueRef global);

/* Such a string as a constant; and a new global that holds one. */
LLVMValueRef cn_layout_names_string(struct cn_ctx *ctx, const char *names);
LLVMValueRef cn_layout_names_add(struct cn_ctx *ctx, LLVMValueRef string);

#endif
