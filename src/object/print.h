/* SPDX-License-Identifier: Apache-2.0
 *
 * What the printers of stack maps and frame maps share. Private to src/object.
 */
#ifndef CN_OBJECT_PRINT_H
#define CN_OBJECT_PRINT_H

#include <stdio.h>
#include "object/elf_file.h"

/* Print one section. 0, or negative with a message in `*error`, which the caller frees. */
typedef int cn_print_section(FILE *out, struct cn_elf *elf, uint32_t section, char **error);

/* Print each section of that name of an object or linked image. 0, or negative after a message on
 * `err`; a file without such a section is an error. */
int cn_print_file(const char *path, const char *name, cn_print_section *print, FILE *out,
                  FILE *err);

/* The name of a register by DWARF number, "r#99" if it has none; the buffer holds 16 bytes. */
const char *cn_print_register(unsigned dwarf, char *buffer);

#endif
