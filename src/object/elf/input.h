/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as bytes. Not for programs.
 */
#ifndef CN_OBJECT_ELF_INPUT_H
#define CN_OBJECT_ELF_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct cn_input {
  const void *bytes; /* read only */
  size_t size;
  bool mapped;
};

/* Can a file of the kind that is wanted begin so? `size` is at least 8, or the whole. */
typedef bool cn_input_begins(const unsigned char *bytes, size_t size);

/* Open the file at `path`, standard input if it is "-". A regular file is mapped, whatever its
 * size. What is none (a pipe, a device) is read, to its end, or as far as it takes to see that it
 * begins in another way (`begins` null: any will do); more than 1 GiB is an error. Negative on
 * error, with a message to free. */
int cn_input_open(struct cn_input *input, const char *path, cn_input_begins *begins, char **error);
void cn_input_close(struct cn_input *input);

/* An ELF file or an archive. */
cn_input_begins cn_input_is_binary;

#endif
