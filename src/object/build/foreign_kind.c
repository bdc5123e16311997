/* SPDX-License-Identifier: Apache-2.0
 *
 * Say that an object's code has no barriers, if nothing in it says so.
 *
 * cairn-cc defines the symbol of kinds (base/kinds.h) in each object with managed code. One that
 * comes from LLVM's rewrite-statepoints-for-gc has no such symbol, and no barriers either: linked
 * with a collector that needs some, the program would lose what old objects alone lead to. So it
 * gets a group of its own, as if cairn-cc had made it for kind `none`, and linkers refuse to mix it
 * with code of another kind.
 */
#include "object/build/foreign_kind.h"

#include <string.h>
#include "base/check.h"
#include "base/kinds.h"

static const char group_name[] = CN_BARRIERS_GROUP "none";

static bool says_kind(const struct cn_elf *elf)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (strcmp(elf->symbols[i].name, CN_BARRIERS_SYMBOL) == 0)
      return true;
  return false;
}

static uint32_t append_string(struct cn_parts *parts, uint32_t table, const char *text)
{
  struct cn_bytes *strings = cn_part_own(&parts->list.at[table]);
  uint32_t at = (uint32_t)strings->count;

  CN_CHECK(strings->count < UINT32_MAX - strlen(text));
  cn_bytes_append(strings, text, strlen(text) + 1);
  return at;
}

/* The table with the indices of sections that do not fit a symbol; 0: there is none. */
static uint32_t find_indices(const struct cn_elf *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (elf->sections[i].head.sh_type == SHT_SYMTAB_SHNDX &&
        elf->sections[i].head.sh_link == elf->symtab)
      return i;
  return 0;
}

/* Append a hidden global symbol of one byte, the first in the section. Returns its index. */
static uint32_t add_symbol(struct cn_parts *parts, const struct cn_elf *elf, const char *name,
                           uint32_t section)
{
  bool fits = section < SHN_LORESERVE;
  uint32_t indices = find_indices(elf), index = fits ? 0 : section;
  Elf64_Sym sym = {.st_name = append_string(parts, elf->sections[elf->symtab].head.sh_link, name),
                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                   .st_other = STV_HIDDEN,
                   .st_shndx = fits ? (Elf64_Half)section : SHN_XINDEX,
                   .st_size = 1};
  struct cn_bytes *symbols = cn_part_own(&parts->list.at[elf->symtab]);

  CN_CHECK(fits || indices != 0);
  cn_bytes_append(symbols, &sym, sizeof sym);
  if (indices != 0)
    cn_bytes_append(cn_part_own(&parts->list.at[indices]), &index, sizeof index);
  return (uint32_t)(symbols->count / sizeof sym) - 1;
}

int cn_foreign_kind_add(struct cn_parts *parts, const struct cn_elf *elf, char **error)
{
  static const unsigned char byte;

  CN_CHECK(parts->list.count >= elf->section_count);
  if (elf->symtab == 0 || says_kind(elf)) /* without symbols there is no function */
    return 0;
  if (parts->list.count + 2 > SHN_LORESERVE && find_indices(elf) == 0)
    return CN_FAIL(error, "too many sections for a group '%s'", group_name);
  uint32_t group = cn_parts_add(parts), member = cn_parts_add(parts);
  uint32_t words[] = {GRP_COMDAT, member};
  uint32_t names =
      elf->head.e_shstrndx == SHN_XINDEX ? elf->sections[0].head.sh_link : elf->head.e_shstrndx;
  uint32_t signature = add_symbol(parts, elf, group_name, member);

  add_symbol(parts, elf, CN_BARRIERS_SYMBOL, member);
  parts->list.at[group].head = (Elf64_Shdr){.sh_name = append_string(parts, names, ".group"),
                                            .sh_type = SHT_GROUP,
                                            .sh_link = elf->symtab,
                                            .sh_info = signature,
                                            .sh_addralign = 4,
                                            .sh_entsize = sizeof *words};
  cn_bytes_append(&parts->list.at[group].fresh, words, sizeof words);
  parts->list.at[member].head = (Elf64_Shdr){.sh_name = append_string(parts, names, ".rodata"),
                                             .sh_type = SHT_PROGBITS,
                                             .sh_flags = SHF_ALLOC | SHF_GROUP,
                                             .sh_addralign = 1};
  cn_bytes_append(&parts->list.at[member].fresh, &byte, sizeof byte);
  return 0;
}
