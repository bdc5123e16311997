/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the reports of `cairn heap`. Same dump, same output, to the byte.
 */
#ifndef CN_DUMP_DUMP_REPORT_H
#define CN_DUMP_DUMP_REPORT_H

#include <stdio.h>
#include "dump/graph.h"

/* A kind of objects that are alive: all objects that share its type's name. */
struct cn_kind_row {
  const char *name;
  uint64_t objects, bytes, retained;
};

/* The rows of all kinds with live objects, those with the most bytes first; *count of them, to be
 * freed. */
struct cn_kind_row *cn_report_make_kind_rows(const struct cn_graph *graph, size_t *count);

/* The objects that retain the most, at most `most`; *count of them, to be freed. */
uint32_t *cn_report_find_top_objects(const struct cn_graph *graph, size_t most, size_t *count);

/* Print one line about the dump. */
void cn_report_print_summary(FILE *out, const struct cn_graph *graph);

/* Print kinds and objects, `most` of each. */
void cn_report_print_top(FILE *out, const struct cn_graph *graph, size_t most);

/* Print a shortest path to an object: of that address (in hexadecimal with 0x), or the one of that type that retains
 * the most. Negative: there is no such object or path, and *error, to be freed, says so. */
int cn_report_print_path(FILE *out, const struct cn_graph *graph, const char *which, char **error);

/* "struct table.slots[3].value -> 0x1234 struct node, 24 bytes, retains 48": the step from an object, or the root, to
 * one that it refers to. To be freed. */
char *cn_report_format_step(const struct cn_graph *graph, uint32_t from, uint32_t to);

/* Print the kinds that differ, those with the greatest difference in bytes first, `most` of them. */
void cn_report_print_diff(FILE *out, const struct cn_graph *before, const struct cn_graph *after, size_t most);

/* The place of a root that points to the object; null: all paths to it pass other objects. */
const char *cn_report_root_place_of(const struct cn_dump *dump, uint32_t object);

#endif
