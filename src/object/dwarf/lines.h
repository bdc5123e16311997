/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the source line of an address with libdw. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_LINES_H
#define CN_OBJECT_DWARF_LINES_H

#include <stdbool.h>
#include <elfutils/libdw.h>
#include "object/elf/elf_file.h"

struct cn_lines;

/* Read the line tables of a file with assigned addresses, after the relocation of an object's debug sections. Null if
 * debug information is missing or unreadable. */
struct cn_lines *cn_lines_open(struct cn_elf_file *elf);
void cn_lines_close(struct cn_lines *lines); /* null is allowed */

/* Find the line of the instruction that contains `address`. For a call, pass an address within the call, because the
 * return address belongs to the next instruction. False if the line is unknown. *file lives as long as `lines`, which
 * may be null. */
bool cn_lines_find_source_line(const struct cn_lines *lines, uint64_t address, const char **file, int *line,
                               int *column);

/* ---- debug.c: opens the relocated debug information of an object with assigned addresses, for libdw ---- */

struct cn_debug {
  Elf *view; /* a view of the object's copy, with decompressed debug sections */
  Dwarf *dwarf;
};

/* Open the debug information. False if it is missing or unreadable. Later results of libdw are input and may be wrong;
 * a malformed part counts as missing. */
bool cn_debug_info_open(struct cn_debug *debug, struct cn_elf_file *elf);
void cn_debug_info_close(struct cn_debug *debug);

#endif
