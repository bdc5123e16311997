/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints frame maps and details, or points, as text or JSON for `cairn frames`.
 */
#ifndef CN_OBJECT_PRINT_FRAMES_PRINT_H
#define CN_OBJECT_PRINT_FRAMES_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "object/print/json_out.h"

/* Print the frame maps of an object, a linked image or the members of an archive; a `path` of "-" is standard input.
 * The complete file is checked first, so a refused file prints nothing. Returns 0, or a negative value after a message
 * on `err`. */
int cairn_frames_print_file(const char *path, bool json, FILE *out, FILE *err);
/* Print the points likewise. A file without points is refused. */
int cairn_points_print_file(const char *path, bool json, FILE *out, FILE *err);

/* frames_records.c, private to src/object: print one element of the document's array of objects, or text if `json` is
 * null. `member` is the name of an archive's member, or null. */
struct cn_frames_view;
void cn_frames_print_object(FILE *out, struct cn_json_writer *json, const char *member, struct cn_frames_view *view);
/* points_records.c: print the points likewise. */
void cn_points_print_object(FILE *out, struct cn_json_writer *json, const char *member, struct cn_frames_view *view);

/* Parts of both, in frames_records.c. */
struct cn_frames_printer {
  FILE *out;                   /* of the text */
  struct cn_json_writer *json; /* null: text */
  struct cn_frames_view *view;
};
struct cn_frames_function;
struct cn_frame_place;
struct cn_safepoint;
/* Open or close an object or array in JSON. Text has no brackets. */
void cn_frames_open_json(const struct cn_frames_printer *printer, const char *name, char bracket);
void cn_frames_close_json(const struct cn_frames_printer *printer);
/* Open an element of the document's array of objects, up to the array of its functions. */
void cn_frames_open_object(const struct cn_frames_printer *printer, const char *member);
/* Print a function up to the array of its items. */
void cn_frames_open_function(const struct cn_frames_printer *printer, const struct cn_frames_function *function,
                             const char *items, uint32_t count);
/* Print safepoint number `index` of a function. */
void cn_frames_print_safepoint(const struct cn_frames_printer *printer, const struct cn_frames_function *function,
                               uint32_t index);
/* The name of a class, CAIRN_ABI_POINT_INTEGER to UNKNOWN. */
const char *cn_frames_class_name(unsigned value_class);
/* Print a place, which is a register or memory at base + offset. Text has `before` and the place. */
void cn_frames_print_place(const struct cn_frames_printer *printer, const char *name, const char *before,
                           struct cn_frame_place place);
/* The name of a register of the object's port. The buffer has 16 bytes. */
const char *cn_frames_printed_register(const struct cn_frames_printer *printer, unsigned reg, char *buffer);
/* Print the sum of a register and an offset as text. */
void cn_frames_print_sum(const struct cn_frames_printer *printer, unsigned reg, int64_t offset);
/* Print the frame address and the saved registers. */
void cn_frames_print_row(const struct cn_frames_printer *printer, const struct cn_safepoint *frame);

#endif
