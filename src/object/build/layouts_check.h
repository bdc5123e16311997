/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the layouts of an object are of the version that this Cairn makes. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_LAYOUTS_CHECK_H
#define CN_OBJECT_BUILD_LAYOUTS_CHECK_H

#include "object/elf/elf_file.h"

/* Negative: a layout is of another version, or damaged; *error is a message to free. */
int cn_object_layouts_check(const struct cn_elf_file *elf, char **error);

#endif
