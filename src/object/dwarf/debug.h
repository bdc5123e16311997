/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the relocated debug information of an object with assigned addresses, for libdw. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_DEBUG_H
#define CN_OBJECT_DWARF_DEBUG_H

#include <elfutils/libdw.h>
#include "object/elf/elf_file.h"

struct cn_debug {
  Elf *view; /* a view of the object's copy, with decompressed debug sections */
  Dwarf *dwarf;
};

/* Open the debug information. False if it is missing or unreadable. Later results of libdw are input and may be wrong;
 * a malformed part counts as missing. */
bool cn_debug_info_open(struct cn_debug *debug, struct cn_elf_file *elf);
void cn_debug_info_close(struct cn_debug *debug);

#endif
