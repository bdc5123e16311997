/* SPDX-License-Identifier: Apache-2.0
 *
 * Removes an object's guard. The guard's section and its relocation section become inactive headers (SHT_NULL), so that
 * sections keep their indices. The guard's symbol becomes the start of section `cairn_frames`. The symbol is weak, like
 * every bound of a section, because an image may lack frame maps. Runs while an object is rewritten (rewrite_object.c),
 * changes the new object, and holds no state. Errors are returned as text.
 */
#include "object/build/rewrite_steps.h"

#include <string.h>
#include "base/check.h"
#include "base/guard.h"

static bool is_guard_symbol(const struct cn_elf_symbol *s)
{
  return s->sym.st_shndx == SHN_UNDEF && strcmp(s->name, CN_GUARD_SYMBOL) == 0;
}

bool cn_guard_is_present(const struct cn_elf_file *elf)
{
  if (cn_elf_find_section(elf, CN_GUARD_SECTION, 0))
    return true;
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (is_guard_symbol(&elf->symbols[i]))
      return true;
  return false;
}

static bool relocates_against_guard(const struct cn_elf_file *elf, const struct cn_section_part *rela)
{
  uint64_t size = rela->data ? rela->head.sh_size : 0;
  Elf64_Rela r;

  for (uint64_t at = 0; at + sizeof r <= size; at += sizeof r) {
    memcpy(&r, rela->data + at, sizeof r);
    uint64_t symbol = ELF64_R_SYM(r.r_info);
    if (symbol >= elf->symbol_count || !is_guard_symbol(&elf->symbols[symbol]))
      return false;
  }
  return true;
}

static int drop_guard_section(struct cn_section_parts *parts, const struct cn_elf_file *elf, uint32_t section,
                              char **error)
{
  static const struct cn_section_part nothing = {.is_fresh = true};
  uint32_t rela = elf->sections[section].relocations;

  if (elf->sections[section].group)
    return CN_FAIL(error, "section '%s' is in a section group", CN_GUARD_SECTION);
  CN_CHECK(section < parts->list.count);
  if (elf->sections[section].head.sh_type != SHT_PROGBITS)
    return CN_FAIL(error, "section '%s' differs from Cairn's", CN_GUARD_SECTION);
  for (; rela; rela = elf->sections[rela].next_relocations) {
    if (elf->sections[rela].head.sh_type != SHT_RELA || !relocates_against_guard(elf, &parts->list.at[rela]))
      return CN_FAIL(error, "section '%s' differs from Cairn's", CN_GUARD_SECTION);
    parts->list.at[rela] = nothing;
  }
  parts->list.at[section] = nothing;
  return 0;
}

/* Find a section for symbols whose section is removed. These symbols become section symbols, which linkers omit from
 * their output. */
static Elf64_Half find_remaining_section(const struct cn_elf_file *elf)
{
  for (Elf64_Half i = 1; i < elf->section_count && i < SHN_LORESERVE; i++)
    if (elf->sections[i].head.sh_type == SHT_PROGBITS && strcmp(elf->sections[i].name, CN_GUARD_SECTION) != 0)
      return i;
  return SHN_ABS;
}

static void rewrite_guard_symbols(struct cn_section_parts *parts, const struct cn_elf_file *elf)
{
  uint32_t name = 0;

  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    Elf64_Sym sym = s->sym;
    if (is_guard_symbol(s)) {
      if (!name)
        name = cn_part_add_string(&parts->list.at[elf->sections[elf->symtab].head.sh_link], CN_GUARD_BOUND);
      sym.st_name = name;
      sym.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(sym.st_info));
    } else if (s->section && strcmp(elf->sections[s->section].name, CN_GUARD_SECTION) == 0 &&
               ELF64_ST_BIND(sym.st_info) == STB_LOCAL) {
      sym = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = find_remaining_section(elf)};
    } else {
      continue;
    }
    struct cn_bytes *symbols = cn_part_make_writable(&parts->list.at[elf->symtab]);
    CN_CHECK((i + UINT64_C(1)) * sizeof sym <= symbols->count);
    memcpy(symbols->at + i * sizeof sym, &sym, sizeof sym);
  }
}

int cn_guard_drop(struct cn_section_parts *parts, const struct cn_elf_file *elf, char **error)
{
  CN_CHECK(parts->list.count >= elf->section_count);
  if (!cn_guard_is_present(elf))
    return 0;
  for (uint32_t i = 0; (i = cn_elf_find_section(elf, CN_GUARD_SECTION, i + 1)) != 0;)
    if (drop_guard_section(parts, elf, i, error))
      return -1;
  rewrite_guard_symbols(parts, elf);
  return 0;
}
