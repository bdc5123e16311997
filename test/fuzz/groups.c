/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: what the files of control groups say (src/runtime/os/groups.c). A path begins
 * at the root, leads up nowhere and fits; a number ends within the text.
 */
#include "runtime/os/groups.c"

#include "runtime/os/file.c"

#include <stdlib.h>
#include <string.h>

void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes)
{
  (void)old_bytes;
  return realloc(old, bytes);
}

void cn_os_free_mapping(void *memory, size_t bytes)
{
  (void)bytes;
  free(memory);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_path(const char *text, size_t size, const char *controller)
{
  char path[64];

  if (!cn_groups_find_path(text, size, controller, path, sizeof path))
    return;
  if (path[0] != '/' || memchr(path, 0, sizeof path) == NULL || strstr(path, "/..") != NULL)
    abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  char *text = malloc(size); /* of its own: what is read beyond its end is found */
  size_t end;

  if (text == NULL || size == 0) {
    free(text);
    return 0;
  }
  memcpy(text, data, size);
  check_path(text, size, NULL);
  check_path(text, size, "memory");
  check_path(text, size, "");
  if (cn_groups_parse_number(text, size, &end) != SIZE_MAX && end == 0)
    abort();
  if (end > size || parse_memory_limit(text, size) != cn_groups_parse_number(text, size, &end))
    abort();
  (void)parse_processor_limit(text, size);
  free(text);
  return 0;
}
