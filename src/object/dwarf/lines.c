/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the source line of an address in the sorted rows of all line tables, which libdw reads. Runs when `cairn
 * stackmap` prints an object. The line tables of a relocatable object are relocated to the object's assigned addresses.
 * struct cn_lines owns the rows and the handles of libdw; the file holds no other state.
 */
#include "object/dwarf/lines.h"

#include <stdlib.h>
#include "base/check.h"
#include "base/sorted.h"
#include "base/vector.h"

struct line_row {
  uint64_t address;
  const char *file; /* null at the end of a sequence of code */
  int line, column;
  size_t index; /* the row's number; the last of several rows with equal addresses counts */
};

struct cn_lines {
  struct cn_debug debug;
  CN_VECTOR(struct line_row) rows;
  CN_VECTOR(const Dwarf_Lines *) tables; /* of the rows */
};

/* True if the table is new. Units may share a table; in a hostile file, thousands of units do. */
static bool add_new_table(struct cn_lines *lines, const Dwarf_Lines *table)
{
  for (size_t i = lines->tables.count; i-- > 0;)
    if (lines->tables.at[i] == table)
      return false;
  cn_push(&lines->tables, table);
  return true;
}

static void add_rows_of_unit(struct cn_lines *lines, Dwarf_Die *unit)
{
  Dwarf_Lines *table;
  size_t count;

  if (dwarf_getsrclines(unit, &table, &count) || !add_new_table(lines, table))
    return;
  for (size_t i = 0; i < count; i++) {
    Dwarf_Line *entry = dwarf_onesrcline(table, i);
    struct line_row row = {.index = lines->rows.count};
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

/* Compare rows by address. The end of a code sequence precedes code that begins at the same address. */
static int compare_rows(const void *a, const void *b)
{
  const struct line_row *x = a, *y = b;

  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (!x->file != !y->file)
    return x->file ? 1 : -1;
  return x->index < y->index ? -1 : 1;
}

static void add_rows_of_all_units(struct cn_lines *lines)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;

  while (dwarf_get_units(lines->debug.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    add_rows_of_unit(lines, &die);
  if (lines->rows.count)
    qsort(lines->rows.at, lines->rows.count, sizeof *lines->rows.at, compare_rows);
}

struct cn_lines *cn_lines_open(struct cn_elf_file *elf)
{
  struct cn_lines *lines = cn_alloc(sizeof *lines);

  if (cn_debug_info_open(&lines->debug, elf)) {
    add_rows_of_all_units(lines);
    return lines;
  }
  free(lines);
  return NULL;
}

void cn_lines_close(struct cn_lines *lines)
{
  if (!lines)
    return;
  cn_debug_info_close(&lines->debug);
  cn_free(&lines->rows);
  cn_free(&lines->tables);
  free(lines);
}

bool cn_lines_find_source_line(const struct cn_lines *lines, uint64_t address, const char **file, int *line,
                               int *column)
{
  size_t low = 0, high = lines ? lines->rows.count : 0;

  CN_ASSERT(!high || lines->rows.at[0].address <= lines->rows.at[high - 1].address);
  CN_BISECT(low, high, middle, lines->rows.at[middle].address <= address);
  if (!low || !lines->rows.at[low - 1].file || !lines->rows.at[low - 1].line)
    return false;
  *file = lines->rows.at[low - 1].file;
  *line = lines->rows.at[low - 1].line;
  *column = lines->rows.at[low - 1].column;
  return true;
}
