/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the properties of a struct cn_elf_file that its readers rely on. elf_file.c refuses malformed files, so a
 * failure is a defect of the checks in elf_file.c. Debug builds run the check, which changes nothing, holds no state,
 * and returns the fault as text.
 */
#include "object/elf/elf_file.h"

static const char *section_wrong(const struct cn_elf_file *elf, uint32_t i)
{
  const struct cn_elf_section *s = &elf->sections[i];

  if (!s->name)
    return "elf: a section has no name";
  if (s->data && (s->data < elf->bytes || (size_t)(s->data - elf->bytes) > elf->size ||
                  s->head.sh_size > elf->size - (size_t)(s->data - elf->bytes)))
    return "elf: a section is not in the bytes";
  if (s->group >= elf->section_count)
    return "elf: a section's group is not there";
  if (s->relocations >= elf->section_count || s->next_relocations >= elf->section_count ||
      (s->next_relocations && s->next_relocations <= i))
    return "elf: a section's relocations are not there";
  return NULL;
}

static const char *symbols_wrong(const struct cn_elf_file *elf)
{
  if (elf->symtab >= elf->section_count || (!elf->symtab && elf->symbol_count))
    return "elf: the symbol table is not there";
  for (uint32_t i = 0; i < elf->symbol_count; i++)
    if (!elf->symbols[i].name || elf->symbols[i].section >= elf->section_count)
      return "elf: a symbol has no name or section";
  return NULL;
}

static const char *address_order_wrong(const struct cn_elf_file *elf)
{
  for (uint32_t i = 0; i < elf->placed_count; i++)
    if (elf->placed[i] >= elf->section_count ||
        (i && elf->sections[elf->placed[i - 1]].head.sh_addr > elf->sections[elf->placed[i]].head.sh_addr))
      return "elf: the sections are not sorted";
  for (uint32_t i = 0; i < elf->function_count; i++) {
    if (elf->functions[i] >= elf->symbol_count)
      return "elf: the functions are not symbols";
    const struct cn_elf_symbol *s = &elf->symbols[elf->functions[i]];
    if (i && cn_elf_symbol_address(elf, &elf->symbols[elf->functions[i - 1]]) > cn_elf_symbol_address(elf, s))
      return "elf: the functions are not sorted";
  }
  return NULL;
}

const char *cn_elf_wrong(const struct cn_elf_file *elf)
{
  const char *wrong = NULL;

  for (uint32_t i = 0; !wrong && i < elf->section_count; i++)
    wrong = section_wrong(elf, i);
  if (!wrong)
    wrong = symbols_wrong(elf);
  return wrong ? wrong : address_order_wrong(elf);
}
