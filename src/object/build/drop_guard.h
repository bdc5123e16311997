/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes the guard that keeps an object from being linked without frame maps (base/guard.h). Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_DROP_GUARD_H
#define CN_OBJECT_BUILD_DROP_GUARD_H

#include "object/elf/elf_parts.h"

bool cn_guard_is_there(const struct cn_elf *elf);

/* Remove the guard's section, relocations and symbol from `parts`, which are the object's. Negative on error. */
int cn_guard_drop(struct cn_parts *parts, const struct cn_elf *elf, char **error);

#endif
