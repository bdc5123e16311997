/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the sections, symbols, registers and source lines of an open stack map. Serves stackmap_records.c; changes
 * nothing, and holds no state.
 */
#include "object/print/stackmap_print.h"

bool cn_stackmap_view_section_at(const struct cn_stackmap_view *view, unsigned index,
                                 struct cairn_stackmap_section *section)
{
  *section = view->whole;
  return view->file ? cairn_stackmap_file_section(view->file, index, section) : index == 0;
}

const char *cn_stackmap_view_register_name(const struct cn_stackmap_view *view, unsigned reg)
{
  return view->file ? cairn_stackmap_register_name(cairn_stackmap_file_machine(view->file), reg) : NULL;
}

bool cn_stackmap_view_find_function(const struct cn_stackmap_view *view, uint64_t address,
                                    struct cairn_stackmap_symbol *symbol)
{
  return view->file && cairn_stackmap_file_function(view->file, address, symbol);
}

bool cn_stackmap_view_find_source(const struct cn_stackmap_view *view, const struct cairn_stackmap *map,
                                  const struct cairn_stackmap_record *record, const char **file, int *line, int *column)
{
  if (record->function == CAIRN_STACKMAP_UNKNOWN_FUNCTION)
    return false;
  uint64_t entry = cairn_stackmap_function(map, record->function).address;
  /* A record follows a call, unless the record is at the function's entry. */
  uint64_t address = entry + record->instruction_offset - (record->instruction_offset ? 1 : 0);
  return entry && cn_lines_find_source_line(view->lines, address, file, line, column);
}
