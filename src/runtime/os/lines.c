/* SPDX-License-Identifier: Apache-2.0
 *
 * Source lines and inlined functions for addresses, from the debug information of the loaded ELF
 * files, by elfutils' libdw if the machine has it: the runtime is not linked with it, but loads it
 * when a line is looked up. Its interface (elfutils/libdw.h, libdwfl.h) is declared here as far as
 * it is used; it has been stable since 2005. Programs without a dynamic linker have no lines.
 */
#include "runtime/os/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Debugging information entries and their attributes: as large as libdw's. */
struct die {
  void *words[4];
};
struct attribute {
  void *words[3];
};
enum { SUBPROGRAM = 0x2e, INLINED = 0x1d, CALL_COLUMN = 0x57, CALL_FILE = 0x58, CALL_LINE = 0x59 };

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
  int (*column)(void *row, int *column);
  const char *(*file)(void *row, void *time, void *length);
  int (*scopes)(void *unit, uint64_t address, struct die **scopes);
  int (*scopes_of_die)(struct die *die, struct die **scopes);
  int (*tag)(struct die *die);
  const char *(*name)(struct die *die);
  struct attribute *(*attribute)(struct die *die, unsigned name, struct attribute *attribute);
  int (*number)(struct attribute *attribute, uint64_t *number);
  int (*files)(void *unit, void **files, size_t *count);
  const char *(*file_at)(void *files, size_t index, void *time, void *length);
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
    {"dwarf_linecol", &dw.column},
    {"dwarf_linesrc", &dw.file},
    {"dwarf_getscopes", &dw.scopes},
    {"dwarf_getscopes_die", &dw.scopes_of_die},
    {"dwarf_tag", &dw.tag},
    {"dwarf_diename", &dw.name},
    {"dwarf_attr", &dw.attribute},
    {"dwarf_formudata", &dw.number},
    {"dwarf_getsrcfiles", &dw.files},
    {"dwarf_filesrc", &dw.file_at},
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

/* Do not look for debug information in separate files: libdw's own search may query servers. */
static int find_nothing(void)
{
  return -1;
}

/* ---- a session ---- */

static atomic_flag busy = ATOMIC_FLAG_INIT;
static void *session;
static int cancellation; /* of the thread that has the session: libdw reads files */

bool cn_os_lines_begin(void)
{
  static struct callbacks callbacks = {.find_debuginfo = find_nothing};

  if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
    return false;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  if (load()) {
    callbacks.find_elf = dw.find_elf;
    session = dw.begin(&callbacks);
  }
  if (session != NULL && dw.report(session, getpid()) == 0 && dw.report_end(session, NULL, NULL) == 0)
    return true;
  cn_os_lines_end();
  return false;
}

void cn_os_lines_end(void)
{
  if (session != NULL)
    dw.end(session);
  session = NULL;
  pthread_setcancelstate(cancellation, NULL);
  atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* The unit of the code. Of all units in turn: dwfl_module_addrdie() wants .debug_aranges, which
 * clang leaves out. */
static void *find_unit(uintptr_t pc, uint64_t *bias)
{
  void *module = dw.module(session, pc), *unit = NULL;

  while (module != NULL && (unit = dw.next_unit(module, unit, bias)) != NULL)
    if (dw.unit_has(unit, pc - *bias) > 0)
      return unit;
  return NULL;
}

static void place_of_row(void *row, struct cn_os_place *place)
{
  if (row == NULL)
    return;
  place->file = dw.file(row, NULL, NULL);
  if (dw.line(row, &place->line) != 0 || dw.column(row, &place->column) != 0)
    place->file = NULL;
}

static uint64_t attribute(struct die *die, unsigned name)
{
  struct attribute storage;
  struct attribute *found = dw.attribute(die, name, &storage);
  uint64_t number = 0;

  return found != NULL && dw.number(found, &number) == 0 ? number : 0;
}

static void place_of_call(void *unit, struct die *die, struct cn_os_place *place)
{
  void *files;
  size_t count;

  if (dw.files(unit, &files, &count) != 0)
    count = 0;
  uint64_t file = attribute(die, CALL_FILE);
  *place = (struct cn_os_place){.file = file < count ? dw.file_at(files, file, NULL, NULL) : NULL,
                                .line = (int)attribute(die, CALL_LINE),
                                .column = (int)attribute(die, CALL_COLUMN)};
}

/* dwarf_getscopes() goes on where an inlined function was defined, not where it was called; so only
 * the innermost scope is taken from it. */
static int scopes_at(void *unit, uint64_t address, struct die **scopes)
{
  struct die *lexical = NULL;
  int count = dw.scopes(unit, address, &lexical);

  *scopes = NULL;
  if (count > 0)
    count = dw.scopes_of_die(&lexical[0], scopes);
  free(lexical);
  return count;
}

bool cn_os_lines_of(uintptr_t pc, void (*found)(void *env, const struct cn_os_place *place), void *env)
{
  uint64_t bias = 0;
  void *unit = find_unit(pc, &bias);
  struct cn_os_place place = {0};
  struct die *scopes;
  bool done = false;

  if (unit == NULL)
    return false;
  place_of_row(dw.row(unit, pc - bias), &place);
  int count = scopes_at(unit, pc - bias, &scopes);
  for (int i = 0; i < count && !done; i++) {
    int tag = dw.tag(&scopes[i]);
    if (tag != INLINED && tag != SUBPROGRAM)
      continue;
    done = tag == SUBPROGRAM;
    place.function = dw.name(&scopes[i]);
    place.inlined = !done;
    found(env, &place);
    if (!done)
      place_of_call(unit, &scopes[i], &place);
  }
  free(scopes);
  if (count <= 0 && place.file != NULL)
    found(env, &place);
  return done || place.file != NULL;
}

/* ---- one line ---- */

struct line {
  char *buffer;
  size_t size;
  bool found, seen;
};

static void take_first(void *env, const struct cn_os_place *place)
{
  struct line *line = env;

  if (line->seen)
    return;
  line->seen = true;
  if (place->file == NULL || place->line <= 0)
    return;
  int n = snprintf(line->buffer, line->size, "%s:%d", place->file, place->line);
  line->found = n > 0 && (size_t)n < line->size;
}

bool cn_os_line(uintptr_t pc, char *buffer, size_t size)
{
  struct line line = {.buffer = buffer, .size = size};

  if (!cn_os_lines_begin())
    return false;
  cn_os_lines_of(pc, take_first, &line);
  cn_os_lines_end();
  return line.found;
}
