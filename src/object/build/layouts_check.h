/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the layouts of an object have this Cairn's version. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_LAYOUTS_CHECK_H
#define CN_OBJECT_BUILD_LAYOUTS_CHECK_H

#include "object/elf/elf_file.h"

/* Negative if a layout is damaged or has another version; *error then has a message, which the caller frees. */
int cn_object_layouts_check(const struct cn_elf_file *elf, char **error);

#endif
