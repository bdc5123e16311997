/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads exception tables (LSDAs): the landing pads of calls. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_EXCEPTION_TABLES_H
#define CN_OBJECT_DWARF_EXCEPTION_TABLES_H

#include "framemap/framemap.h"
#include "object/elf/elf_file.h"

struct cn_exception_tables;

/* Open the tables of an object with assigned addresses, whose .eh_frame is relocated. Relocates the sections of
 * tables. Negative on error. */
int cn_exception_tables_open(struct cn_exception_tables **tables, struct cn_elf_file *elf, char **error);
void cn_exception_tables_close(struct cn_exception_tables *tables);

/* Set `out` for the call that ends at `end`, in the function whose code begins at `entry`. Null, or the reason of a
 * refusal. */
const char *cn_exception_tables_find(const struct cn_exception_tables *tables, uint64_t entry, uint64_t end,
                                     struct cn_landing *out);

#endif
