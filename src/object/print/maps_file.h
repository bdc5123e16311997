/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a file of maps, for `cairn frames` and `cairn stackmap`. Private to src/object.
 */
#ifndef CN_OBJECT_PRINT_MAPS_FILE_H
#define CN_OBJECT_PRINT_MAPS_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "object/elf/archive.h"
#include "object/elf/input.h"
#include "object/print/json_out.h"

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

#endif
