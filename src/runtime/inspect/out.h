/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a file through one buffer, without allocation. The file gets its name when it is complete.
 */
#ifndef CN_RUNTIME_INSPECT_OUT_H
#define CN_RUNTIME_INSPECT_OUT_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_out_file {
  int fd;
  int error;     /* error of the first failed call; all later bytes are dropped */
  bool in_place; /* false: the file is renamed at the end */
  const char *path;
  char temporary[PATH_MAX];
  unsigned char buffer[1 << 16];
  size_t used;
  uint64_t written;
  sigset_t blocked; /* the caller's signal mask */
  bool pending;     /* SIGPIPE was pending before the first write */
};

void cn_out_begin_file(struct cn_out_file *out, const char *path);

/* Write bytes, or values in the encodings of dump/format.h. */
void cn_out_write_bytes(struct cn_out_file *out, const void *bytes, size_t size);
void cn_out_write_byte(struct cn_out_file *out, unsigned char byte);
void cn_out_write_number(struct cn_out_file *out, uint64_t number);
void cn_out_write_difference(struct cn_out_file *out, int64_t difference);
void cn_out_write_text(struct cn_out_file *out, const char *text);

/* Write the buffered bytes, and give the file its name. False: a write or the renaming failed, and the file is removed;
 * `message` (null, or of `size` bytes) gives the reason. */
bool cn_out_finish_file(struct cn_out_file *out, char *message, size_t size);

#endif
