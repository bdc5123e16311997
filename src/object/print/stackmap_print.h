/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints LLVM stack maps as text or JSON for `cairn stackmap`. Private to src/object, except the first function.
 */
#ifndef CN_OBJECT_PRINT_STACKMAP_PRINT_H
#define CN_OBJECT_PRINT_STACKMAP_PRINT_H

#include <stdbool.h>
#include <stdio.h>
#include <cairn/stackmap.h>
#include "object/dwarf/lines.h"
#include "object/print/json_out.h"

struct cn_stackmap_print {
  bool json;
  bool raw; /* the file has only the bytes of a section */
};

/* Print the stack maps of a relocatable object, a linked image or the members of an archive; a `path` of "-" is
 * standard input. The complete file is checked first, so a refused file prints nothing. Returns 0, or a negative value
 * after a message on `err`. */
int cairn_stackmap_print_file(const char *path, struct cn_stackmap_print how, FILE *out, FILE *err);

/* A file that was opened and checked. */
struct cn_stackmap_view {
  const char *member;                  /* name of an archive's member, or null */
  struct cairn_stackmap_file *file;    /* null: raw */
  struct cairn_stackmap_section whole; /* the file's only section, for raw bytes */
  struct cn_lines *lines;              /* null: unknown */
};

/* Get section number `index` of the view. False if the view has fewer sections. */
bool cn_stackmap_view_section_at(const struct cn_stackmap_view *view, unsigned index,
                                 struct cairn_stackmap_section *section);
/* The name of a register, or null if the register has no name or the machine is unknown (raw bytes). */
const char *cn_stackmap_view_register_name(const struct cn_stackmap_view *view, unsigned reg);
bool cn_stackmap_view_find_function(const struct cn_stackmap_view *view, uint64_t address,
                                    struct cairn_stackmap_symbol *symbol);
/* Find the source line of a record. False if the line is unknown. */
bool cn_stackmap_view_find_source(const struct cn_stackmap_view *view, const struct cairn_stackmap *map,
                                  const struct cairn_stackmap_record *record, const char **file, int *line,
                                  int *column);

/* stackmap_records.c: print one element of the document's array of objects, or text if `json` is null. */
void cn_stackmap_print(FILE *out, struct cn_json_writer *json, const struct cn_stackmap_view *view);

#endif
