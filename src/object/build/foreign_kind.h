/* SPDX-License-Identifier: Apache-2.0
 *
 * The kind of barriers of code that LLVM's own passes made: none. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_FOREIGN_KIND_H
#define CN_OBJECT_BUILD_FOREIGN_KIND_H

#include "object/elf/elf_file.h"
#include "object/elf/elf_parts.h"

/* If the object, which has managed code, does not say what kind of barriers that has: define what
 * cairn-cc would for code without barriers. `parts` may have more sections than `elf` by now.
 * Negative on error. */
int cn_foreign_kind_add(struct cn_parts *parts, const struct cn_elf *elf, char **error);

#endif
