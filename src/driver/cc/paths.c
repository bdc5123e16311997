/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the names of installed files, and derives file names from other names, at any time in cairn-cc. Reads
 * /proc/self to find this program, and tests whether files exist. Changes no file and prints nothing; command.c owns
 * the names.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "driver/cc/units.h"

/* Find the file that this code was mapped from. */
static bool find_mapped_executable(char self[PATH_MAX])
{
  FILE *maps = fopen("/proc/self/maps", "re");
  uintptr_t here = (uintptr_t)find_mapped_executable;
  char *line = NULL, *after, *name;
  size_t size = 0;
  bool found = false;

  while (maps != NULL && !found && getline(&line, &size, maps) > 0) {
    uintptr_t start = strtoul(line, &after, 16), end = strtoul(after + 1, NULL, 16);
    if (here - start >= end - start || (name = strchr(line, '/')) == NULL)
      continue;
    name[strcspn(name, "\n")] = 0;
    found = strlen(name) < PATH_MAX;
    if (found)
      strcpy(self, name);
  }
  free(line);
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* Find this program's file. If the dynamic linker was started with this program as its argument, /proc/self/exe is the
 * dynamic linker, and AT_BASE is 0. */
static bool find_executable_path(char self[PATH_MAX])
{
  if (getauxval(AT_BASE) == 0)
    return find_mapped_executable(self);
  ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
  if (length < 0)
    return false;
  CN_CHECK(length < PATH_MAX);
  self[length] = 0;
  return true;
}

const char *cn_paths_find_installed(const char *relative)
{
  char self[PATH_MAX];

  CN_CHECK(relative[0] != '/');
  if (!find_executable_path(self))
    return NULL;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (!slash)
      return NULL;
    *slash = 0;
  }
  const char *path = cn_command_format_string("%s/%s", self, relative);
  return access(path, R_OK) == 0 ? path : NULL;
}

static const char *base_name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

const char *cn_paths_stem_of(const char *path)
{
  const char *base = base_name_of(path);
  const char *dot = strrchr(base, '.');

  return dot && dot != base ? cn_command_format_string("%.*s", (int)(dot - base), base) : base;
}

const char *cn_paths_replace_suffix(const char *path, const char *suffix)
{
  const char *base = base_name_of(path);
  const char *dot = strrchr(base, '.');
  CN_CHECK(suffix[0] == '.');
  size_t kept = dot ? (size_t)(dot - path) : strlen(path);

  return cn_command_format_string("%.*s%s", (int)kept, path, suffix);
}
