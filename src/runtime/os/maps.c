/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's list of the process's mappings. Nothing here allocates.
 */
#include "runtime/os/maps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/os/os.h"

/* "start-end rw-p ...". */
static bool read_mapping(const char *line, struct cn_mapping *mapping)
{
  char *after;

  mapping->start = strtoul(line, &after, 16);
  if (*after != '-')
    return false;
  mapping->end = strtoul(after + 1, &after, 16);
  mapping->may_read = strncmp(after, " r", 2) == 0;
  mapping->may_write = mapping->may_read && after[2] == 'w';
  return true;
}

bool cn_os_mappings(bool (*found)(void *env, const struct cn_mapping *mapping), void *env)
{
  char text[1024], *line = text, *stop; /* a handler's stack may be small */
  int fd = cn_os_file_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  struct cn_mapping mapping;
  size_t have = 0;
  bool done = false;
  ssize_t n;

  while (fd >= 0 && !done && (n = cn_os_file_read(fd, text + have, sizeof text - 1 - have)) > 0) {
    have += (size_t)n;
    text[have] = 0;
    for (line = text; !done && (stop = strchr(line, '\n')); line = stop + 1)
      done = read_mapping(line, &mapping) && found(env, &mapping);
    have -= (size_t)(line - text);
    memmove(text, line, have);
    if (have == sizeof text - 1)
      have = sizeof text / 2; /* a long name, which does not count */
  }
  if (fd >= 0)
    cn_os_file_close(fd);
  return done;
}

struct around {
  uintptr_t address;
  struct cn_mapping mapping;
};

static bool is_around(void *env, const struct cn_mapping *mapping)
{
  struct around *around = env;

  around->mapping = *mapping;
  return mapping->may_write && around->address - mapping->start < mapping->end - mapping->start;
}

bool cn_os_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end)
{
  struct around around = {.address = address};
  bool found = cn_os_mappings(is_around, &around);

  *bottom = around.mapping.start;
  *end = around.mapping.end;
  return found;
}
