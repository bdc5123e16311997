/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the members of an `ar` archive. Internal to the tree.
 */
#ifndef CN_OBJECT_ELF_ARCHIVE_H
#define CN_OBJECT_ELF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

/* The iteration over members. The caller zeroes the struct before the first member, and may set `thin_too`. */
struct cn_archive_member {
  bool thin_too;             /* the caller opens members in separate files */
  size_t next;               /* offset of the next header */
  size_t names, names_size;  /* offset and size of the table of long names */
  const unsigned char *data; /* points into the archive; null if the member is a separate file */
  size_t size;
  char name[256]; /* truncated name; for a separate file, its path from the archive's folder */
};

bool cn_is_archive(const void *bytes, size_t size);

/* Advance to the next member, without symbol tables and name tables. Returns 0, or 1 at the end, or a negative value
 * with a message in *error that has the offset; the caller frees the message. A thin archive is an error unless
 * `thin_too` is set. */
int cn_archive_next_member(const void *bytes, size_t size, struct cn_archive_member *member, char **error);

/* Visits a member. Returns 0; a positive value if the member is skipped, with an optional hint in *error; or a negative
 * value with a message in *error. The caller frees *error. */
typedef int cn_archive_visitor(void *env, const char *member, const void *bytes, size_t size, char **error);

/* Visit each member of an archive, or any other file with a null name. The first error ends the iteration. An archive
 * whose members are all skipped is an error; the message says that the members lack `wanted`, and has the first
 * hint. */
int cn_archive_visit_members(const void *bytes, size_t size, const char *wanted, cn_archive_visitor *visit, void *env,
                             char **error);

#endif
