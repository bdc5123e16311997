/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the members of an `ar` archive. Internal to the tree.
 */
#ifndef CN_OBJECT_ELF_ARCHIVE_H
#define CN_OBJECT_ELF_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero it before the first member; the caller may set `thin_too`. */
struct cn_archive_member {
  bool thin_too;             /* set by the caller: it opens members that are separate files */
  size_t next;               /* offset of the next header */
  size_t names, names_size;  /* of the table of long names */
  const unsigned char *data; /* in the archive's bytes; null: in a separate file */
  size_t size;
  char name[256]; /* cut off if it is longer; for a file, its path from the archive's folder */
};

bool cn_is_archive(const void *bytes, size_t size);

/* Go to the next member, past symbol tables and name tables. 0; 1 at the end; negative with a message to free in
 * *error, which names the offset. A thin archive is an error unless `thin_too` is set. */
int cn_archive_next_member(const void *bytes, size_t size, struct cn_archive_member *member, char **error);

/* Zero; positive for a member to skip, perhaps with a hint for the user in *error; or negative with a message in
 * *error. Both are to free. */
typedef int cn_archive_visitor(void *env, const char *member, const void *bytes, size_t size, char **error);

/* Visit each member; or, with a null name, any other file. The first error ends the walk. An archive whose
 * members are all skipped is an error: its message says that they lack what is `wanted`, and has the first hint. */
int cn_archive_visit_members(const void *bytes, size_t size, const char *wanted, cn_archive_visitor *visit, void *env,
                             char **error);

#endif
