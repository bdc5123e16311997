/* SPDX-License-Identifier: Apache-2.0
 *
 * Renames the bodies of managed functions for tools.
 */
#ifndef CN_OBJECT_BUILD_BODY_NAMES_H
#define CN_OBJECT_BUILD_BODY_NAMES_H

#include "object/elf/elf_file.h"
#include "object/elf/elf_parts.h"

/* Have tools name bodies by their functions. */
void cn_body_names_hide(struct cn_parts *parts, const struct cn_elf *elf);

#endif
