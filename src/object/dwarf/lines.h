/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the source line of an address, by libdw. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_LINES_H
#define CN_OBJECT_DWARF_LINES_H

#include <stdbool.h>
#include "object/elf/elf_file.h"

struct cn_lines;

/* Read the line tables of a placed file; the debug sections of an object are relocated for that. Null if debug
 * information is missing or unreadable. */
struct cn_lines *cn_lines_open(struct cn_elf_file *elf);
void cn_lines_close(struct cn_lines *lines); /* null is allowed */

/* The line of the instruction at `address`. For a call, `address` lies within it: the return address is already the
 * next instruction's. False: unknown. *file lives as long as `lines`, which may be null. */
bool cn_lines_find_source_line(const struct cn_lines *lines, uint64_t address, const char **file, int *line,
                               int *column);

#endif
