/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout constants: made by layout_constants.c, read by allocate.c and globals.c.
 */
#ifndef CN_COMPILE_ALLOCATION_LAYOUT_CONSTANTS_H
#define CN_COMPILE_ALLOCATION_LAYOUT_CONSTANTS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

enum cn_layout_form {
  CN_LAYOUT_FORM_OBJECT,   /* one T */
  CN_LAYOUT_FORM_ARRAY,    /* n times T */
  CN_LAYOUT_FORM_FLEXIBLE, /* T, a struct that ends in [0 x E], and n times E */
};

/* An allocation function of include/cairn/cairn.h, and its slow path. The operands are the layout, then the old array
 * if the function resizes, then the count, or the size of a single object in bytes. */
struct cn_allocator {
  const char *name, *slow;
  enum cn_layout_form form;
  bool uninit;  /* the new memory stays uncleared; the layout has no references */
  bool resizes; /* the result may be the old array */
};
enum { CN_ALLOCATOR_COUNT = 7 };
extern const struct cn_allocator cn_layouts_allocators[CN_ALLOCATOR_COUNT];

/* The allocator that `instruction` calls, or null. */
const struct cn_allocator *cn_layouts_called_allocator(LLVMValueRef instruction);

/* The fields of a struct cairn_layout (include/cairn/collector.h) that allocate.c needs. */
struct cn_type_metadata;
struct cn_layout_sizes {
  uint64_t base_size, elem_size, elem_offset;
  bool refs;        /* the layout has references */
  bool finalisable; /* the runtime must register each object */
};

/* The layout constants of a module. The table is valid until a layout is deleted. */
struct cn_layout_table {
  struct cn_ptrmap by_value; /* key of the initialiser with distance 0 and the names -> global */
  struct cn_ptrmap by_shape; /* initialiser with distance 0 -> the first such global */
  struct cn_ptrmap names;    /* string -> global */
  size_t count;
};
void cn_layouts_table_build(struct cn_ctx *ctx, struct cn_layout_table *table);
void cn_layouts_table_free(struct cn_layout_table *table);

/* The constant struct cairn_layout for `type`, found in the table, or made and added to it. `size` is the size of a
 * single object in bytes, at least the size of `type`; arrays and flexible objects ignore `size`. `said` is the
 * metadata of the type (type_metadata.h). If no object will have the layout, `said` may be null, and the result may be
 * the layout of another type. Reports errors at `at` and then returns null. */
LLVMValueRef cn_layouts_find_or_make(struct cn_ctx *ctx, struct cn_layout_table *table, LLVMTypeRef type,
                                     enum cn_layout_form form, uint64_t size, const struct cn_type_metadata *said,
                                     LLVMValueRef at);

bool cn_layouts_is_layout_constant(LLVMValueRef value);

/* The alignment of objects whose type is that of a layout static. An alignment of the static of at most
 * CAIRN_ABI_OBJECT_ALIGN comes from the source, for instance from aligned(8), and overrides the LLVM type's. */
unsigned cn_layouts_object_alignment(struct cn_ctx *ctx, LLVMValueRef global);
void cn_layouts_read_sizes(LLVMValueRef layout, struct cn_layout_sizes *out);

/* ---- lower_resize.c: expands calls that give an array another length ---- */

/* Expand a call of an allocator that resizes. The layout operand is a constant. */
void cn_expand_resize_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                           const struct cn_allocator *allocator);

#endif
