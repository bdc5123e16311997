/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the limits of control groups for memory and processors. In a container, the root of the tree may be the
 * container's group, while /proc/self/cgroup has the group's path on the machine. Missing directories are therefore
 * skipped, and the root is always read. Runs on any thread, in any phase; the texts of a search are in memory that is
 * mapped during the call.
 */
#include "runtime/os/os.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"

enum { PATH_BYTES = 4096, TEXT_BYTES = 8192 };

/* The texts of one search, in mapped memory because they are too large for a small stack. */
struct search_texts {
  char tree[PATH_BYTES], path[PATH_BYTES], name[2 * PATH_BYTES], text[TEXT_BYTES];
};

/* Reads at most `size` bytes of a file. Returns the number of bytes; 0: the file is missing or empty. */
static size_t read_file(const char *name, char *text, size_t size)
{
  int fd = cn_os_file_open(name, O_RDONLY | O_CLOEXEC, 0);
  size_t have = 0;
  ssize_t n;

  if (fd < 0)
    return 0;
  while (have < size && (n = cn_os_file_read(fd, text + have, size - have)) > 0)
    have += (size_t)n;
  cn_os_file_close(fd);
  return have;
}

size_t cn_groups_parse_number(const char *text, size_t length, size_t *end)
{
  size_t number = 0, i = 0;
  bool over = false;

  for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
    over |= __builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (size_t)(text[i] - '0'), &number);
  *end = i;
  return i == 0 || over ? SIZE_MAX : number;
}

/* True if the list "a,b,c" of `length` bytes contains the name. */
static bool list_has_name(const char *list, size_t length, const char *name)
{
  size_t size = strlen(name);

  for (size_t at = 0, stop; at < length; at = stop + 1) {
    const char *comma = memchr(list + at, ',', length - at);
    stop = comma != NULL ? (size_t)(comma - list) : length;
    if (stop - at == size && memcmp(list + at, name, size) == 0)
      return true;
  }
  return false;
}

/* Copies a path. False: the path is too long, or goes up by "..". */
static bool copy_checked_path(const char *from, size_t length, char *path, size_t size)
{
  CN_ASSERT(size != 0);
  if (length == 0 || length >= size || from[0] != '/' || memchr(from, 0, length) != NULL ||
      memmem(from, length, "/..", 3) != NULL)
    return false;
  memcpy(path, from, length);
  path[length] = 0;
  return true;
}

/* Lines of the text are "4:cpu,memory:/a/b" for version 1 and "0::/a/b" for version 2. */
bool cn_groups_find_path(const char *text, size_t length, const char *controller, char *path, size_t size)
{
  for (size_t at = 0, stop; at < length; at = stop + 1) {
    const char *line = text + at, *newline = memchr(line, '\n', length - at);
    stop = newline != NULL ? (size_t)(newline - text) : length;
    const char *first = memchr(line, ':', stop - at);
    if (first == NULL)
      continue;
    CN_ASSERT(stop <= length);
    const char *end = text + stop, *names = first + 1, *second = memchr(names, ':', (size_t)(end - names));
    if (second == NULL)
      continue;
    size_t named = (size_t)(second - names);
    if (controller != NULL ? list_has_name(names, named, controller) : named == 0)
      return copy_checked_path(second + 1, (size_t)(end - second - 1), path, size);
  }
  return false;
}

/* The least limit in the files `file` of a group and its ancestors; `limit` parses a file's text. In `texts`, `path` is
 * the group's path and `tree` the root of the hierarchy. */
typedef size_t limit_parser(const char *text, size_t length);

static size_t least_limit_on_path(struct search_texts *texts, const char *file, limit_parser *limit)
{
  char text[64], *name = texts->name, *path = texts->path;
  size_t found = SIZE_MAX, length = strlen(path);

  for (;;) {
    path[length] = 0;
    int size = snprintf(name, sizeof texts->name, "%s%s/%s", texts->tree, path, file);
    CN_CHECK(size > 0);
    size_t bytes = (size_t)size < sizeof texts->name ? read_file(name, text, sizeof text) : 0,
           value = bytes != 0 ? limit(text, bytes) : SIZE_MAX;
    found = value < found ? value : found;
    if (length == 0)
      return found;
    while (path[--length] != '/')
      ;
  }
}

static size_t parse_memory_limit(const char *text, size_t length)
{
  size_t end;

  return cn_groups_parse_number(text, length, &end);
}

/* Parses "200000 100000": microseconds of processor time in each period, and microseconds of the period. */
static size_t parse_processor_limit(const char *text, size_t length)
{
  size_t end, more, quota = cn_groups_parse_number(text, length, &end);

  if (quota == SIZE_MAX || end == length)
    return SIZE_MAX;
  size_t period = cn_groups_parse_number(text + end + 1, length - end - 1, &more);
  return period == 0 || period == SIZE_MAX ? SIZE_MAX : quota / period + (quota % period != 0);
}

/* Finds the limit in the hierarchy of a controller (version 1), or in the hierarchy of version 2 if `controller` is
 * null. */
static size_t find_limit_in_hierarchy(struct search_texts *texts, const char *root, const char *controller,
                                      const char *file, limit_parser *limit)
{
  const char *own = controller != NULL ? controller : "";
  char *path = texts->path;

  snprintf(path, sizeof texts->path, "%s/proc/self/cgroup", root);
  size_t length = read_file(path, texts->text, sizeof texts->text);
  int size = snprintf(texts->tree, sizeof texts->tree, "%s/sys/fs/cgroup%s%s", root, own[0] ? "/" : "", own);
  if (size < 0 || (size_t)size >= sizeof texts->tree)
    return SIZE_MAX;
  if (!cn_groups_find_path(texts->text, length, controller, path, sizeof texts->path))
    path[0] = 0;
  return least_limit_on_path(texts, file, limit);
}

static size_t find_group_limit(const char *root, const char *controller, const char *file, limit_parser *limit)
{
  struct search_texts *texts = cn_os_resize_mapping(NULL, 0, sizeof *texts);

  if (texts == NULL)
    return SIZE_MAX;
  size_t found = find_limit_in_hierarchy(texts, root, controller, file, limit);
  cn_os_free_mapping(texts, sizeof *texts);
  return found;
}

size_t cn_groups_memory_limit(const char *root)
{
  size_t second = find_group_limit(root, NULL, "memory.max", parse_memory_limit),
         first = find_group_limit(root, "memory", "memory.limit_in_bytes", parse_memory_limit);

  return first < second ? first : second;
}

size_t cn_groups_processor_limit(const char *root)
{
  return find_group_limit(root, NULL, "cpu.max", parse_processor_limit);
}
