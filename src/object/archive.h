/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of an `ar` archive. Private to src/object.
 */
#ifndef CN_OBJECT_ARCHIVE_H
#define CN_OBJECT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised: before the first member. */
struct cn_archive_member {
  size_t next;               /* offset of the next header */
  size_t names, names_size;  /* of the table of long names */
  const unsigned char *data; /* within the archive's bytes */
  size_t size;
  char name[256]; /* cut off if it is longer */
};

bool cn_archive_is(const void *bytes, size_t size);

/* The next member, symbol tables and name tables left out: 0; 1 at the end; negative with a
 * message to free in *error. A thin archive, whose members are other files, is an error. */
int cn_archive_next(const void *bytes, size_t size, struct cn_archive_member *member, char **error);

#endif
