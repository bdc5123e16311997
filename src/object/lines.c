/* SPDX-License-Identifier: Apache-2.0
 *
 * Which source line an address comes from: the rows of all line tables, sorted once. libdw reads
 * them out of our copy of the file, whose debug sections are relocated to the made-up addresses.
 */
#include "object/lines.h"

#include <stdlib.h>
#include <string.h>
#include <elfutils/libdw.h>
#include "base/check.h"
#include "base/vector.h"

struct row {
  uint64_t address;
  const char *file; /* null: the end of a sequence of code */
  int line, column;
  size_t index; /* of equal addresses the last one counts */
};

struct cn_lines {
  Elf *view;
  Dwarf *dwarf;
  CN_VECTOR(struct row) rows;
};

static void add_unit(struct cn_lines *lines, Dwarf_Die *unit)
{
  Dwarf_Lines *table;
  size_t count;

  if (dwarf_getsrclines(unit, &table, &count))
    return;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *entry = dwarf_onesrcline(table, i);
    struct row row = {.index = lines->rows.count};
    Dwarf_Addr address;
    bool is_end;
    if (!entry || dwarf_lineaddr(entry, &address) || dwarf_lineendsequence(entry, &is_end))
      continue;
    row.address = address;
    if (!is_end) {
      row.file = dwarf_linesrc(entry, NULL, NULL);
      if (dwarf_lineno(entry, &row.line) || dwarf_linecol(entry, &row.column))
        row.file = NULL;
    }
    cn_push(&lines->rows, row);
  }
}

/* By address; an end of code comes before what begins there. */
static int compare(const void *a, const void *b)
{
  const struct row *x = a, *y = b;

  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (!x->file != !y->file)
    return x->file ? 1 : -1;
  return x->index < y->index ? -1 : 1;
}

static void add_units(struct cn_lines *lines)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;

  while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    add_unit(lines, &die);
  if (lines->rows.count)
    qsort(lines->rows.at, lines->rows.count, sizeof *lines->rows.at, compare);
}

/* What a line table is read from. Other debug sections may have relocations that are not known. */
static bool relocate(struct cn_elf *elf)
{
  static const char *const names[] = {".debug_line", ".debug_line_str", ".debug_info",
                                      ".debug_str_offsets", ".debug_addr"};
  char *error = NULL;

  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (uint32_t i = cn_elf_find(elf, names[n], 0); i; i = cn_elf_find(elf, names[n], i + 1)) {
      bool compressed =
          elf->head.e_type == ET_REL && (elf->sections[i].head.sh_flags & SHF_COMPRESSED);
      if (compressed || cn_elf_relocate(elf, i, &error)) {
        free(error);
        return false;
      }
    }
  return cn_elf_find(elf, names[0], 0) != 0;
}

struct cn_lines *cn_lines_open(struct cn_elf *elf)
{
  if (!relocate(elf))
    return NULL;
  struct cn_lines *lines = cn_alloc(sizeof *lines);
  elf_version(EV_CURRENT);
  lines->view = elf_memory((char *)elf->bytes, elf->size);
  lines->dwarf = lines->view ? dwarf_begin_elf(lines->view, DWARF_C_READ, NULL) : NULL;
  if (lines->dwarf)
    add_units(lines);
  return lines;
}

void cn_lines_close(struct cn_lines *lines)
{
  if (!lines)
    return;
  if (lines->dwarf)
    dwarf_end(lines->dwarf);
  if (lines->view)
    elf_end(lines->view);
  cn_free(&lines->rows);
  free(lines);
}

bool cn_lines_find(const struct cn_lines *lines, uint64_t address, const char **file, int *line,
                   int *column)
{
  size_t low = 0, high = lines ? lines->rows.count : 0;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (lines->rows.at[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low || !lines->rows.at[low - 1].file || !lines->rows.at[low - 1].line)
    return false;
  *file = lines->rows.at[low - 1].file;
  *line = lines->rows.at[low - 1].line;
  *column = lines->rows.at[low - 1].column;
  return true;
}
