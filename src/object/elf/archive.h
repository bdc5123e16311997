/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of an `ar` archive. Not for programs.
 */
#ifndef CN_OBJECT_ELF_ARCHIVE_H
#define CN_OBJECT_ELF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialised, but for what the caller sets: before the first member. */
struct cn_archive_member {
  bool thin_too;             /* set by the caller: it opens members that are files of their own */
  size_t next;               /* offset of the next header */
  size_t names, names_size;  /* of the table of long names */
  const unsigned char *data; /* within the archive's bytes; null: a file of its own */
  size_t size;
  char name[256]; /* cut off if it is longer; of a file, its path from the archive's folder */
};

bool cn_archive_is(const void *bytes, size_t size);

/* The next member, symbol tables and name tables left out: 0; 1 at the end; negative with a
 * message to free in *error. A thin archive is an error unless `thin_too` is set. */
int cn_archive_next(const void *bytes, size_t size, struct cn_archive_member *member, char **error);

#endif
