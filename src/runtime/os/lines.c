/* SPDX-License-Identifier: Apache-2.0
 *
 * Source lines for addresses, from the debug information of the loaded ELF files, by elfutils'
 * libdw if the machine has it: the runtime is not linked with it, but loads it when a line is asked
 * for. Its interface (elfutils/libdwfl.h) is declared here as far as it is used; it has been stable
 * since 2005. Programs without a dynamic linker have no lines.
 */
#include "runtime/os/os.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int find_elf(void);
typedef int find_debuginfo(void);

struct callbacks {
  find_elf *find_elf;
  find_debuginfo *find_debuginfo;
  void *section_address; /* for relocatable files only */
  char **debuginfo_path;
};

static struct {
  void *(*begin)(const struct callbacks *callbacks);
  void (*end)(void *session);
  int (*report)(void *session, int process);
  int (*report_end)(void *session, void *removed, void *env);
  void *(*module)(void *session, uint64_t address);
  void *(*next_unit)(void *module, void *unit, uint64_t *bias);
  int (*unit_has)(void *unit, uint64_t address);
  void *(*row)(void *unit, uint64_t address);
  int (*line)(void *row, int *line);
  const char *(*file)(void *row, void *time, void *length);
  find_elf *find_elf;
} dw;

static const struct {
  const char *name;
  void *into;
} functions[] = {
    {"dwfl_begin", &dw.begin},
    {"dwfl_end", &dw.end},
    {"dwfl_linux_proc_report", &dw.report},
    {"dwfl_report_end", &dw.report_end},
    {"dwfl_addrmodule", &dw.module},
    {"dwfl_module_nextcu", &dw.next_unit},
    {"dwarf_haspc", &dw.unit_has},
    {"dwarf_getsrc_die", &dw.row},
    {"dwarf_lineno", &dw.line},
    {"dwarf_linesrc", &dw.file},
    {"dwfl_linux_proc_find_elf", &dw.find_elf},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The library stays loaded. */
static bool load(void)
{
  void *library = cn_os_library("libdw.so.1");

  for (size_t i = 0; i < FUNCTIONS && library != NULL; i++) {
    void *symbol = cn_os_library_symbol(library, functions[i].name);
    if (symbol == NULL)
      return false;
    memcpy(functions[i].into, &symbol, sizeof symbol);
  }
  return library != NULL;
}

/* Debug information in files of its own is not looked for: libdw's own search may ask servers. */
static int find_nothing(void)
{
  return -1;
}

/* The row of the line table. Of all units in turn: dwfl_module_getsrc() wants .debug_aranges, which
 * clang leaves out. */
static void *find_row(void *module, uintptr_t pc)
{
  uint64_t bias = 0;
  void *unit = NULL;

  while ((unit = dw.next_unit(module, unit, &bias)) != NULL)
    if (dw.unit_has(unit, pc - bias) > 0)
      return dw.row(unit, pc - bias);
  return NULL;
}

static bool look_up(void *session, uintptr_t pc, char *buffer, size_t size)
{
  int line = 0;

  if (dw.report(session, getpid()) != 0 || dw.report_end(session, NULL, NULL) != 0)
    return false;
  void *module = dw.module(session, pc);
  void *row = module ? find_row(module, pc) : NULL;
  const char *file = row ? dw.file(row, NULL, NULL) : NULL;
  if (file == NULL || dw.line(row, &line) != 0 || line <= 0)
    return false;
  int n = snprintf(buffer, size, "%s:%d", file, line);
  return n > 0 && (size_t)n < size;
}

bool cn_os_line(uintptr_t pc, char *buffer, size_t size)
{
  if (!load())
    return false;
  struct callbacks callbacks = {.find_elf = dw.find_elf, .find_debuginfo = find_nothing};
  void *session = dw.begin(&callbacks);
  bool found = session != NULL && look_up(session, pc, buffer, size);
  if (session != NULL)
    dw.end(session);
  return found;
}
