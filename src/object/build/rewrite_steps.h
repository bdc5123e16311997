/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of rewrite_object.c, private to src/object; the driver also calls thunk_names.c, and the compile side
 * debug_names.c.
 */
#ifndef CN_OBJECT_BUILD_REWRITE_STEPS_H
#define CN_OBJECT_BUILD_REWRITE_STEPS_H

#include <cairn/object.h>
#include "base/vector.h"
#include "object/elf/elf_parts.h"

/* drop_guard.c: removes the guard, which prevents the link of an object without frame maps (base/guard.h). */

bool cn_guard_is_present(const struct cn_elf_file *elf);

/* wrapped_offsets.c: tell whether relocations of code have offsets that are too large by 2^32; mend these in `parts`,
 * the sections of `elf`. */
bool cn_wrapped_offsets_are_present(const struct cn_elf_file *elf);
void cn_wrapped_offsets_mend(struct cn_section_parts *parts, const struct cn_elf_file *elf);

/* Remove the guard's section, relocations and symbol from `parts`, the sections of `elf`. Negative on error. */
int cn_guard_drop(struct cn_section_parts *parts, const struct cn_elf_file *elf, char **error);

/* image_structors.c: moves constructors and destructors of objects with managed code. */

/* True if the object registers an image and has constructors or destructors in sections that lld and mold ignore. */
bool cn_structors_are_in_old_tables(const struct cn_elf_file *elf);

/* Move the constructors and destructors in `parts`, the sections of `elf`, to .init_array and .fini_array. Negative on
 * error. */
int cn_structors_move_tables(struct cn_section_parts *parts, const struct cn_elf_file *elf, char **error);

/* body_names.c: renames the bodies of managed functions for tools. */

/* Change symbols so that tools name bodies by their functions. */
void cn_body_names_hide(struct cn_section_parts *parts, const struct cn_elf_file *elf);

/* ---- debug_names.c ---- */

/* Remove section .debug_names. With CAIRN_OK, *out is the new object, which the caller frees, or null if the object
 * lacks the section. Otherwise *error has a message, which the caller frees. */
enum cairn_status cn_debug_names_drop(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

/* ---- thunk_names.c ---- */

/* Changes the names that managed code of other units uses to call a function (compile/transitions/thunk.c). */

/* Check that these names agree with the names of the functions. The names disagree if a tool has renamed a function, or
 * made it weak or local. Negative if they disagree; *error then has a message, which the caller frees. */
int cn_thunk_names_check(const struct cn_elf_file *elf, char **error);

/* A rename of a function: `to` replaces `from` in objects that do not define `from`. If `to` is null, the linker sets
 * `from` to an expression, and references to `from` are refused. */
struct cn_function_rename {
  const char *from, *to;
};

struct cn_renames {
  CN_VECTOR(struct cn_function_rename) list;
};

/* Rename the object's symbols that belong to these functions. With CAIRN_OK, *out is the new object, which the caller
 * frees, or null if nothing changes. Otherwise *error has a message, which the caller frees. */
enum cairn_status cn_thunk_names_change(const void *bytes, size_t size, const struct cn_renames *renames, void **out,
                                        size_t *out_size, char **error);

/* The first function of `renames` that the object defines, or null. */
const char *cn_thunk_names_find_defined(const void *bytes, size_t size, const struct cn_renames *renames);

#endif
