/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads optional shared libraries, finds symbols in libraries, and tells whether the program has a dynamic linker. The
 * C library owns all state. Runs on any thread, in any phase. Loading a library calls malloc(), so a signal handler
 * must not load a library.
 */
#include "runtime/os/os.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#pragma weak dlsym
#pragma weak dladdr

static bool needs_libraries(const ElfW(Dyn) * entry)
{
  while (entry->d_tag != DT_NULL && entry->d_tag != DT_NEEDED)
    entry++;
  return entry->d_tag == DT_NEEDED;
}

/* Sets `*env` if the first object, which is the program, is dynamic. */
static int detect_dynamic_program(struct dl_phdr_info *program, size_t size, void *env)
{
  bool *dynamic = env;

  (void)size;
  for (unsigned i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &program->dlpi_phdr[i];
    const void *content = (const void *)(program->dlpi_addr + header->p_vaddr);
    if (header->p_type == PT_INTERP || (header->p_type == PT_DYNAMIC && needs_libraries((const ElfW(Dyn) *)content)))
      *dynamic = true;
  }
  return 1;
}

/* AT_BASE is 0 in a static program, and in a program that was started as an argument of the dynamic linker. The
 * program's headers tell these cases apart: a dynamic program has an interpreter, or needs libraries, or both. */
static bool has_dynamic_linker(void)
{
  bool dynamic = false;

  if (getauxval(AT_BASE) != 0)
    return true;
  dl_iterate_phdr(detect_dynamic_program, &dynamic);
  return dynamic;
}

bool cn_os_is_linkers_argument(void)
{
  return getauxval(AT_BASE) == 0 && has_dynamic_linker();
}

/* Finds dlopen() at run time, because linkers warn about dlopen() in a static program. A static program has no dynamic
 * linker, and must not load libraries. */
static void *open_library(const char *file, int mode)
{
  void *(*open)(const char *file, int mode);
  void *symbol = has_dynamic_linker() ? cn_os_find_library_symbol(NULL, "dlopen") : NULL;

  memcpy(&open, &symbol, sizeof open);
  return symbol ? open(file, mode) : NULL;
}

void *cn_os_load_library(const char *file)
{
  return open_library(file, RTLD_LAZY);
}

void *cn_os_find_library_symbol(void *library, const char *name)
{
  return dlsym != NULL ? dlsym(library, name) : NULL; /* a null library is RTLD_DEFAULT */
}

void *cn_os_find_next_symbol(const char *name)
{
  return has_dynamic_linker() ? cn_os_find_library_symbol(RTLD_NEXT, name) : NULL;
}

/* A handle's symbols include the symbols of the libraries that its library needs, so the symbol's library is checked.
 * The handle stays open, because closing it may unload the library; the call is rare. */
void *cn_os_find_own_symbol(uintptr_t pc, const char *name)
{
  Dl_info here, there;
  void *library, *symbol;

  if (dladdr == NULL || dladdr((void *)pc, &here) == 0 ||
      (library = open_library(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL ||
      (symbol = cn_os_find_library_symbol(library, name)) == NULL)
    return NULL;
  return dladdr(symbol, &there) != 0 && there.dli_fbase == here.dli_fbase ? symbol : NULL;
}
