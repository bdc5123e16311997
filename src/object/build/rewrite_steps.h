/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of rewrite_object.c. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_REWRITE_STEPS_H
#define CN_OBJECT_BUILD_REWRITE_STEPS_H

#include "object/elf/elf_parts.h"

/* drop_guard.c: removes the guard, which prevents the link of an object without frame maps (base/guard.h). */

bool cn_guard_is_present(const struct cn_elf_file *elf);

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

#endif
