/* SPDX-License-Identifier: Apache-2.0
 *
 * File names: those of the installation, and those derived from others.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "driver/cc/units.h"

const char *cn_paths_find(const char *relative)
{
  char self[PATH_MAX];

  CN_CHECK(relative[0] != '/');
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

  if (length < 0)
    return NULL;
  CN_CHECK((size_t)length < sizeof self);
  self[length] = 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (!slash)
      return NULL;
    *slash = 0;
  }
  const char *path = cn_command_text("%s/%s", self, relative);
  return access(path, R_OK) == 0 ? path : NULL;
}

static const char *base_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

const char *cn_paths_stem(const char *path)
{
  const char *base = base_of(path);
  const char *dot = strrchr(base, '.');

  return dot && dot != base ? cn_command_text("%.*s", (int)(dot - base), base) : base;
}

const char *cn_paths_with_suffix(const char *path, const char *suffix)
{
  const char *base = base_of(path);
  const char *dot = strrchr(base, '.');
  CN_CHECK(suffix[0] == '.');
  size_t kept = dot ? (size_t)(dot - path) : strlen(path);

  return cn_command_text("%.*s%s", (int)kept, path, suffix);
}
