/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves constructors and destructors of objects with managed code. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_IMAGE_STRUCTORS_H
#define CN_OBJECT_BUILD_IMAGE_STRUCTORS_H

#include "object/elf/elf_parts.h"

/* True if the object registers an image, and has constructors or destructors in sections that lld and mold ignore. */
bool cn_structors_are_old(const struct cn_elf *elf);

/* Move the constructors and destructors, in `parts`, which are the object's, to .init_array and .fini_array. Negative
 * on error. */
int cn_structors_move(struct cn_parts *parts, const struct cn_elf *elf, char **error);

#endif
