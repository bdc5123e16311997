/* SPDX-License-Identifier: Apache-2.0
 *
 * Layout constants: made by layout_constants.c, attached to calls by attach_layouts.c, read by allocate.c and
 * globals.c.
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
  struct cn_ptrmap shared;   /* name of a shared layout, as a string -> global */
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

/* The array at the end of a flexible struct, or null. */
LLVMTypeRef cn_layouts_flexible_member(LLVMTypeRef type);

/* The alignment of objects whose type is that of a layout static. An alignment of the static of at most
 * CAIRN_ABI_OBJECT_ALIGN comes from the source, for instance from aligned(8), and overrides the LLVM type's. */
unsigned cn_layouts_object_alignment(struct cn_ctx *ctx, LLVMValueRef global);
void cn_layouts_read_sizes(LLVMValueRef layout, struct cn_layout_sizes *out);

/* ---- shared_layouts.c: layouts that modules share by name ---- */

/* Turn the layout statics that other modules may see into internal statics with the metadata CN_SHARED_METADATA.
 * Reports errors. A declaration of an opaque type stays. */
void cn_shared_layouts_mark_statics(struct cn_ctx *ctx);

/* Add the struct cairn_shared_layout of a layout constant, or with a null `layout`, the one of a name alone. Returns
 * the global. */
LLVMValueRef cn_shared_layouts_add_entry(struct cn_ctx *ctx, const char *name, const char *module, LLVMValueRef layout);
/* The struct cairn_shared_layout of a name alone, found or added. Arrays have a separate layout. */
LLVMValueRef cn_shared_layouts_find_or_add_name(struct cn_ctx *ctx, const char *name, enum cn_layout_form form);
/* The program's name of the shared layout of a type in this form. The caller frees. */
char *cn_shared_layouts_format_name(const char *name, enum cn_layout_form form);

/* True if `value` is a struct cairn_shared_layout of this module. */
bool cn_shared_layouts_is_entry(LLVMValueRef value);
/* The layout constant of an entry, or null if the module knows only the name. */
LLVMValueRef cn_shared_layouts_constant_of(LLVMValueRef entry);
/* The entry of a layout constant, or null if the layout belongs to the module. */
LLVMValueRef cn_shared_layouts_entry_of(LLVMValueRef layout);

/* True if the contents of a layout operand are known at run time only: the operand is the entry of a name, or a value
 * that is none of the module's statics. */
bool cn_layouts_is_run_time_operand(LLVMValueRef operand);
/* The address of the layout, for an operand of an allocation call after pass `layouts`. */
LLVMValueRef cn_layouts_emit_address(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef operand);

/* ---- lower_resize.c: expands calls that give an array another length ---- */

/* Expand a call of an allocator that resizes. */
void cn_expand_resize_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                           const struct cn_allocator *allocator);

#endif
