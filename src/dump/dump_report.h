/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the reports of `cairn heap`. Equal dumps have byte-identical output.
 */
#ifndef CN_DUMP_DUMP_REPORT_H
#define CN_DUMP_DUMP_REPORT_H

#include <stdio.h>
#include "dump/graph.h"

/* A kind of live objects, which is all live objects whose types have the same name. */
struct cn_kind_row {
  const char *name;
  uint64_t objects, bytes, retained;
};

/* Make *count rows, one for each kind with live objects, in descending order of bytes. The caller frees the rows. */
struct cn_kind_row *cn_report_make_kind_rows(const struct cn_graph *graph, size_t *count);

/* Find the objects that retain the most bytes, at most `most` objects. The caller frees the *count numbers. */
uint32_t *cn_report_find_top_objects(const struct cn_graph *graph, size_t most, size_t *count);

/* Print one line about the dump. */
void cn_report_print_summary(FILE *out, const struct cn_graph *graph);

/* Print at most `most` kinds and `most` objects. */
void cn_report_print_top(FILE *out, const struct cn_graph *graph, size_t most);

/* Print a shortest path to an object. `which` is the object's address (in hexadecimal with 0x), or a type, which
 * selects the object of this type that retains the most bytes. Negative if the object or path is missing; *error then
 * has a message, which the caller frees. */
int cn_report_print_path(FILE *out, const struct cn_graph *graph, const char *which, char **error);

/* Format a reference from an object or the root to an object, such as "struct table.slots[3].value -> 0x1234 struct
 * node, 24 bytes, retains 48". The caller frees the text. */
char *cn_report_format_step(const struct cn_graph *graph, uint32_t from, uint32_t to);

/* Print at most `most` kinds that differ, in descending order of the difference in bytes. */
void cn_report_print_diff(FILE *out, const struct cn_graph *before, const struct cn_graph *after, size_t most);

#endif
