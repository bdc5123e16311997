/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that the runtime uses where there are any, and is not linked with.
 */
#include "runtime/os/os.h"

#include <string.h>
#include <sys/auxv.h>

extern void *dlsym(void *handle, const char *name) __attribute__((weak));
enum { LAZY = 1 }; /* RTLD_LAZY */

/* Found at run time, so that linking a static program does not warn of it. Such a program has no
 * dynamic linker, and must not load anything. */
void *cn_os_library(const char *file)
{
  void *(*open)(const char *file, int mode);
  void *symbol = getauxval(AT_BASE) != 0 ? cn_os_library_symbol(NULL, "dlopen") : NULL;

  memcpy(&open, &symbol, sizeof open);
  return symbol ? open(file, LAZY) : NULL;
}

void *cn_os_library_symbol(void *library, const char *name)
{
  return dlsym != NULL ? dlsym(library, name) : NULL; /* null: RTLD_DEFAULT */
}
