/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads files as bytes, for the tool, the driver and image_check.c. Regular files are mapped, so that access to the
 * first bytes loads little. Other files are read as long as they may be of the wanted kind. The files stay unchanged;
 * the caller owns the bytes. Errors are returned as text. Holds no state.
 */
#include "object/elf/input.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "object/elf/archive.h"
#include "object/elf/elf_file.h"

enum { FIRST_READ_BYTES = 1 << 16, MIN_HEAD_BYTES = 8 };
#define MAX_FILE_BYTES ((size_t)1 << 30)

bool cn_input_is_binary(const unsigned char *bytes, size_t size)
{
  return (size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) || cn_is_archive(bytes, size);
}

static int map_file(struct cn_input_file *input, int fd, size_t size, char **error)
{
  CN_CHECK(size != 0); /* mmap() refuses zero bytes */
  void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

  if (bytes == MAP_FAILED)
    return CN_FAIL(error, "%s", strerror(errno));
  *input = (struct cn_input_file){.bytes = bytes, .size = size, .mapped = true};
  return 0;
}

static int grow_read_buffer(unsigned char **bytes, size_t *room, char **error)
{
  size_t more = *room ? 2 * *room : FIRST_READ_BYTES;
  unsigned char *grown = more <= MAX_FILE_BYTES ? realloc(*bytes, more) : NULL;

  if (more > MAX_FILE_BYTES)
    return CN_FAIL(error, "more than %zu MiB that come from no regular file", MAX_FILE_BYTES >> 20);
  if (!grown)
    return CN_FAIL(error, "no memory for %zu bytes", more);
  *bytes = grown;
  *room = more;
  return 0;
}

static int read_stream(struct cn_input_file *input, int fd, cn_input_kind_test *begins, char **error)
{
  unsigned char *bytes = NULL;
  size_t used = 0, room = 0;
  ssize_t got = 1;
  int status = 0;

  while (!status && got > 0 && (used < MIN_HEAD_BYTES || !begins || begins(bytes, used))) {
    if (used == room && (status = grow_read_buffer(&bytes, &room, error)) != 0)
      break;
    CN_CHECK(used < room);
    do
      got = read(fd, bytes + used, room - used);
    while (got < 0 && errno == EINTR);
    if (got < 0)
      status = CN_FAIL(error, "%s", strerror(errno));
    else
      used += (size_t)got;
  }
  if (status)
    free(bytes);
  else
    *input = (struct cn_input_file){.bytes = bytes, .size = used};
  return status;
}

static int load_descriptor(struct cn_input_file *input, int fd, cn_input_kind_test *begins, char **error)
{
  struct stat status;

  if (fstat(fd, &status))
    return CN_FAIL(error, "%s", strerror(errno));
  /* Map only from offset 0, because a map would include bytes of standard input that are already read. */
  if (S_ISREG(status.st_mode) && status.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0)
    return map_file(input, fd, (size_t)status.st_size, error);
  return read_stream(input, fd, begins, error);
}

int cn_input_open(struct cn_input_file *input, const char *path, cn_input_kind_test *begins, char **error)
{
  bool own = strcmp(path, "-") != 0;
  int fd = own ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

  *input = (struct cn_input_file){0};
  if (fd < 0)
    return CN_FAIL(error, "%s", strerror(errno));
  int status = load_descriptor(input, fd, begins, error);
  if (own)
    close(fd);
  return status;
}

void cn_input_close(struct cn_input_file *input)
{
  if (input->mapped)
    munmap((void *)input->bytes, input->size);
  else
    free((void *)input->bytes);
  *input = (struct cn_input_file){0};
}
