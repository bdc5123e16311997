/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files as bytes. Internal to the tree.
 */
#ifndef CN_OBJECT_ELF_INPUT_H
#define CN_OBJECT_ELF_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct cn_input_file {
  const void *bytes; /* read only */
  size_t size;
  bool mapped;
};

/* True if a file of the wanted kind may begin with these bytes. `size` is at least 8 unless the file is shorter. */
typedef bool cn_input_kind_test(const unsigned char *bytes, size_t size);

/* Open the file at `path`, or standard input for "-". Regular files of any size are mapped. Other files, such as pipes
 * and devices, are read to the end, or until `begins` refuses them; a null `begins` accepts all files. More than 1 GiB
 * is an error. Negative on error, with a message in *error, which the caller frees. */
int cn_input_open(struct cn_input_file *input, const char *path, cn_input_kind_test *begins, char **error);
void cn_input_close(struct cn_input_file *input);

/* True for an ELF file or an archive. */
cn_input_kind_test cn_input_is_binary;

#endif
