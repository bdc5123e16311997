/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds, joins and checks the frame maps, details and points of a file, for printing and counting. Private to
 * src/object.
 */
#ifndef CN_OBJECT_PRINT_FRAMES_VIEW_H
#define CN_OBJECT_PRINT_FRAMES_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/vector.h"
#include "framemap/details.h"
#include "framemap/details_format.h"
#include "framemap/framemap.h"
#include "framemap/points.h"
#include "object/elf/archive.h"
#include "object/elf/elf_file.h"
#include "object/elf/input.h"
#include "object/print/json_out.h"

struct cn_frames_function {
  const char *name; /* null: unknown */
  uint64_t address; /* address in an image; in an object, an assigned address within the code section */
  uint32_t section; /* section of the code, or 0 if it is unknown */
  struct cn_framemap_function map;
  struct cn_details_function details; /* `safepoints` is 0 if the function lacks details */
  struct cn_points_function points;   /* `points` is 0 if the function lacks points */
};

/* The place of an item, with its number in the file, which orders items with equal places. */
struct cn_frames_indexed_place {
  uint64_t at;
  uint32_t index;
};
struct cn_frames_place_table {
  CN_VECTOR(struct cn_frames_indexed_place) list; /* sorted */
};

struct cn_frames_view {
  struct cn_elf_file elf;                         /* placed */
  CN_VECTOR(struct cn_frames_function) functions; /* in the order of the maps in the file */
  bool has_points;                                /* some function has points */
  /* Tables that the first look-up of a span makes: sections by their place in the copy, and symbols other than section
   * symbols by address. */
  struct cn_frames_place_table copies, symbols;
};

/* Read all maps of the file, so that later reads succeed. Negative on error, or if section cairn_frames is missing;
 * *error then has a message, which the caller frees. */
int cn_frames_view_open(struct cn_frames_view *view, const void *bytes, size_t size, char **error);
void cn_frames_view_close(struct cn_frames_view *view);

/* Read the details of a function's safepoint into *out. False if the safepoint has no details. */
bool cn_frames_view_read_details(const struct cn_frames_function *entry, uint32_t return_offset,
                                 struct cn_details *out);

/* An entry of the span table. An address is `symbol` plus `value`; in an object, `symbol` may be a section's name; null
 * is an unknown symbol. A number is `value`. The look-up returns false if the file lacks the entry. */
struct cn_frames_span {
  uint64_t key, value;
  bool is_address;
  const char *symbol;
};
bool cn_frames_view_find_span(struct cn_frames_view *view, const struct cn_details *details, uint32_t index,
                              struct cn_frames_span *out);

/* The name of the port's register by DWARF number. The buffer has 16 bytes. */
const char *cn_frames_register_name(const struct cn_frame_port *port, unsigned dwarf, char *buffer);

/* ---- maps_file.c: prints a file of maps, for `cairn frames` and `cairn stackmap` ---- */

/* The environment of the visitor, which checks and prints each object of a file. */
struct cn_maps_print_job {
  const char *command, *wanted; /* words for messages, such as "cairn frames", "frame maps" */
  cn_archive_visitor *visit;
  cn_input_kind_test *begins;
  bool raw;                    /* the file has the bytes of a section instead of an object or archive */
  FILE *out;                   /* null: check only */
  struct cn_json_writer *json; /* null: text */
};

/* Open the file or each member of an archive, check everything, and print it. Returns 0, or a negative value after a
 * message on `err`. */
int cn_maps_print_file(struct cn_maps_print_job *job, const char *path, bool json, FILE *out, FILE *err);

/* ---- layouts_print.c ---- */

/* Prints the layouts of objects, with the names of types and fields, for `cairn layouts`. */

/* Print the layouts of an object or a linked image. Negative on error, or if the file has no layouts; *error then has a
 * message, which the caller frees. */
int cn_layouts_print(FILE *out, const void *bytes, size_t size, char **error);

#endif
