/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints frame maps and details as text or JSON for `cairn frames`.
 */
#ifndef CN_OBJECT_PRINT_FRAMES_PRINT_H
#define CN_OBJECT_PRINT_FRAMES_PRINT_H

#include <stdbool.h>
#include <stdio.h>
#include "object/print/json_out.h"

/* Print the frame maps of an object, a linked image or the members of an archive; a `path` of "-" is standard input.
 * The complete file is checked first, so a refused file prints nothing. Returns 0, or a negative value after a message
 * on `err`. */
int cairn_frames_print_file(const char *path, bool json, FILE *out, FILE *err);

/* frames_records.c, private to src/object: print one element of the document's array of objects, or text if `json` is
 * null. `member` is the name of an archive's member, or null. */
struct cn_frames_view;
void cn_frames_print_object(FILE *out, struct cn_json_writer *json, const char *member, struct cn_frames_view *view);

#endif
