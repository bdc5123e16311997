/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the kernel's list of the process's mappings, for callbacks, and finds the writable memory around an address,
 * and the file mapped there. The buffers are on the stack and small, because a signal handler's stack may be small;
 * there is no other state. Runs on any thread, in any phase; async-signal-safe.
 */
#include "runtime/os/os.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"

enum { MAX_LINE_BYTES = 1024 };

struct maps_reader {
  int file;
  ptrdiff_t count, next;
  char bytes[512];
};

static bool read_byte(struct maps_reader *reader, char *byte)
{
  CN_ASSERT(reader->next <= reader->count);
  if (reader->next == reader->count) {
    reader->next = 0;
    reader->count = cn_os_file_read(reader->file, reader->bytes, sizeof reader->bytes);
  }
  if (reader->count <= 0)
    return false;
  *byte = reader->bytes[reader->next++];
  return true;
}

/* Reads the next line, and drops the end of a line that is too long. */
static bool read_line(struct maps_reader *reader, char line[MAX_LINE_BYTES])
{
  size_t length = 0;
  char byte = 0;

  while (byte != '\n' && read_byte(reader, &byte))
    if (length < MAX_LINE_BYTES - 1)
      line[length++] = byte;
  CN_ASSERT(length < MAX_LINE_BYTES);
  line[length] = 0;
  return byte == '\n';
}

/* Parses "start-end rw-p offset device inode name\n". */
static bool parse_mapping(char *line, struct cn_mapping *mapping)
{
  char *after, *newline = strchr(line, '\n');

  mapping->start = strtoul(line, &after, 16);
  if (*after != '-')
    return false;
  mapping->end = strtoul(after + 1, &after, 16);
  mapping->may_read = strncmp(after, " r", 2) == 0;
  mapping->may_write = mapping->may_read && after[2] == 'w';
  mapping->may_execute = mapping->may_read && after[2] != 0 && after[3] == 'x';
  mapping->file = newline != NULL ? strchr(after, '/') : NULL;
  if (newline != NULL)
    *newline = 0;
  return true;
}

bool cn_os_visit_mappings(bool (*found)(void *env, const struct cn_mapping *mapping), void *env)
{
  struct maps_reader reader = {.file = cn_os_file_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0)};
  char line[MAX_LINE_BYTES];
  struct cn_mapping mapping;
  bool done = false;

  CN_ASSERT(found != NULL);
  if (reader.file < 0)
    return false;
  while (!done && read_line(&reader, line))
    done = parse_mapping(line, &mapping) && found(env, &mapping);
  cn_os_file_close(reader.file);
  return done;
}

static bool has_address(const struct cn_mapping *mapping, uintptr_t address)
{
  CN_ASSERT(mapping->start <= mapping->end);
  return address - mapping->start < mapping->end - mapping->start;
}

struct memory_search {
  uintptr_t address;
  struct cn_mapping mapping;
};

static bool match_writable_mapping(void *env, const struct cn_mapping *mapping)
{
  struct memory_search *around = env;

  around->mapping = *mapping;
  return mapping->may_write && has_address(mapping, around->address);
}

bool cn_os_find_memory_around(uintptr_t address, uintptr_t *bottom, uintptr_t *end)
{
  struct memory_search around = {.address = address};
  bool found = cn_os_visit_mappings(match_writable_mapping, &around);

  *bottom = around.mapping.start;
  *end = around.mapping.end;
  return found;
}

struct file_name_search {
  uintptr_t address;
  char *buffer; /* becomes the empty string if the name is unknown */
  size_t size;
};

static bool copy_file_name_at(void *env, const struct cn_mapping *mapping)
{
  struct file_name_search *at = env;

  if (!has_address(mapping, at->address))
    return false;
  if (mapping->file != NULL && strlen(mapping->file) < at->size)
    strcpy(at->buffer, mapping->file);
  return true;
}

bool cn_os_find_mapped_file(uintptr_t address, char *buffer, size_t size)
{
  struct file_name_search at = {address, buffer, size};

  CN_ASSERT(buffer != NULL);
  if (size == 0)
    return false;
  buffer[0] = 0;
  return cn_os_visit_mappings(copy_file_name_at, &at) && buffer[0] != 0;
}
