/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes the index of debug names, section .debug_names, from an object. LLVM's C interface makes an index for each
 * compile unit of DWARF 5, and gdb 13 reads the index of one object as that of the whole program. The section and its
 * relocations become inactive headers (SHT_NULL), so that sections keep their indices. Runs after an object is
 * rewritten, returns a new object, and holds no state. Errors are returned as text.
 */
#include "object/build/rewrite_steps.h"

#include <string.h>
#include "base/check.h"

static const char section_name[] = ".debug_names";

static int drop_section(struct cn_section_parts *parts, const struct cn_elf_file *elf, uint32_t section, char **error)
{
  static const struct cn_section_part nothing = {.is_fresh = true};

  CN_CHECK(section && section < parts->list.count);
  if (elf->sections[section].group)
    return CN_FAIL(error, "section '%s' is in a section group", section_name);
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section == section)
      return CN_FAIL(error, "section '%s' has a symbol", section_name);
  for (uint32_t i = elf->sections[section].relocations; i; i = elf->sections[i].next_relocations)
    parts->list.at[i] = nothing;
  parts->list.at[section] = nothing;
  return 0;
}

enum cairn_status cn_debug_names_drop(const void *bytes, size_t size, void **out, size_t *out_size, char **error)
{
  struct cn_section_parts parts = {0};
  struct cn_elf_file elf;
  uint32_t section = 0;
  int status = 0;

  *out = NULL;
  *out_size = 0;
  *error = NULL;
  if (cn_elf_open_for_port(&elf, bytes, size, error))
    return CAIRN_E_ELF;
  if (cn_elf_find_section(&elf, section_name, 0)) {
    cn_parts_copy_sections(&parts, &elf, bytes);
    while (!status && (section = cn_elf_find_section(&elf, section_name, section + 1)) != 0)
      status = drop_section(&parts, &elf, section, error);
    if (!status) {
      struct cn_bytes file = cn_parts_build_file(&parts, &elf.head);
      *out = file.at;
      *out_size = file.count;
    }
    cn_parts_free(&parts);
  }
  cn_elf_close(&elf);
  return status ? CAIRN_E_REFUSED : CAIRN_OK;
}
