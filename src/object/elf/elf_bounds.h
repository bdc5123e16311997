/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds the sections whose bounds an object refers to, and that it lacks. Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_BOUNDS_H
#define CN_OBJECT_ELF_ELF_BOUNDS_H

#include "object/elf/elf_parts.h"

/* Add such sections, empty, to `parts`, which are the object's. */
void cn_bounds_add(struct cn_parts *parts, const struct cn_elf *elf);

#endif
