/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints LLVM stack maps as text or JSON: `cairn stackmap`. Private to src/object, except the first function.
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
  bool raw; /* the file holds only the bytes of a section */
};

/* Print the stack maps of a relocatable object, a linked image, or the members of an archive; of standard input if
 * `path` is "-". Checks all of it first: a file that is refused prints nothing. 0, or negative after a message on
 * `err`. */
int cairn_stackmap_print_file(const char *path, struct cn_stackmap_print how, FILE *out, FILE *err);

/* A file that was opened and checked. */
struct cn_stackmap_view {
  const char *member;                  /* of an archive; or null */
  struct cairn_stackmap_file *file;    /* null: raw */
  struct cairn_stackmap_section whole; /* raw: the file's only section */
  struct cn_lines *lines;              /* null: unknown */
};

/* Section number `index` of the view; false if there are fewer. */
bool cn_stackmap_view_section_at(const struct cn_stackmap_view *view, unsigned index,
                                 struct cairn_stackmap_section *section);
/* The name of a register; null if it has no name, or if the machine is unknown (raw bytes). */
const char *cn_stackmap_view_register_name(const struct cn_stackmap_view *view, unsigned reg);
bool cn_stackmap_view_find_function(const struct cn_stackmap_view *view, uint64_t address,
                                    struct cairn_stackmap_symbol *symbol);
/* The source line of a record; false: unknown. */
bool cn_stackmap_view_find_source(const struct cn_stackmap_view *view, const struct cairn_stackmap *map,
                                  const struct cairn_stackmap_record *record, const char **file, int *line,
                                  int *column);

/* stackmap_records.c: one element of the document's array of objects, or text if `json` is null. */
void cn_stackmap_print(FILE *out, struct cn_json_writer *json, const struct cn_stackmap_view *view);

#endif
