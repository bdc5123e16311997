/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that the runtime uses where there are any, and is not linked with.
 */
#include "runtime/os/os.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#pragma weak dlsym
#pragma weak dladdr

/* Found at run time, so that linking a static program does not warn of it. Such a program has no
 * dynamic linker, and must not load anything. */
static void *open_library(const char *file, int mode)
{
  void *(*open)(const char *file, int mode);
  void *symbol = getauxval(AT_BASE) != 0 ? cn_os_library_symbol(NULL, "dlopen") : NULL;

  memcpy(&open, &symbol, sizeof open);
  return symbol ? open(file, mode) : NULL;
}

void *cn_os_library(const char *file)
{
  return open_library(file, RTLD_LAZY);
}

void *cn_os_library_symbol(void *library, const char *name)
{
  return dlsym != NULL ? dlsym(library, name) : NULL; /* null: RTLD_DEFAULT */
}

void *cn_os_library_next_symbol(const char *name)
{
  return getauxval(AT_BASE) != 0 ? cn_os_library_symbol(RTLD_NEXT, name) : NULL;
}

/* A handle's symbols are also those of the libraries that it needs. The handle is not given back:
 * closing it may unload a library that has no other user, and the call is rare. */
void *cn_os_library_own_symbol(uintptr_t pc, const char *name)
{
  Dl_info here, there;
  void *library, *symbol;

  if (dladdr == NULL || dladdr((void *)pc, &here) == 0 ||
      (library = open_library(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL ||
      (symbol = cn_os_library_symbol(library, name)) == NULL)
    return NULL;
  return dladdr(symbol, &there) != 0 && there.dli_fbase == here.dli_fbase ? symbol : NULL;
}
