/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the debug information of a placed object, relocated, as libdw reads it. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_DEBUG_H
#define CN_OBJECT_DWARF_DEBUG_H

#include <elfutils/libdw.h>
#include "object/elf/elf_file.h"

struct cn_debug {
  Elf *view; /* of the object's copy, with debug sections decompressed */
  Dwarf *dwarf;
};

/* False: debug information is missing or unreadable. Libdw's later answers are input and may be wrong: a malformed part
 * counts as a missing one. */
bool cn_debug_info_open(struct cn_debug *debug, struct cn_elf_file *elf);
void cn_debug_info_close(struct cn_debug *debug);

#endif
