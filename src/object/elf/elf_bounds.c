/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds an empty section to an object for each missing section whose bounds the object refers to.
 *
 * An object's image description refers to the bounds of all of Cairn's sections, such as `__start_cairn_roots`. These
 * symbols are hidden and weak, because a section may be missing. GNU ld exports these symbols from a shared object even
 * though they are hidden. If an image lacks a section, mold resolves the section's bounds to the shared object's
 * symbols and reports the symbols as undefined, and gold sets the bounds to the image's start. With an empty section,
 * linkers define the bounds in each image.
 *
 * GNU ld -r refuses to join ordered and unordered sections of one name. Therefore, if the sections with contents are
 * tied to a section (SHF_LINK_ORDER), the empty section is tied to `.text`, which is outside groups.
 *
 * Runs while an object is rewritten (rewrite_object.c), changes the new object, and holds no state.
 */
#include "object/elf/elf_parts.h"

#include <string.h>
#include "base/check.h"

/* Prefixes of bounds. The start of frame maps may still be the guard (base/guard.h). */
static const char stop_prefix[] = "__stop_";

static const struct bounded_section {
  const char *name;
  uint64_t flags;
} bounded_sections[] = {{"cairn_frames", SHF_ALLOC | SHF_LINK_ORDER},
                        {"cairn_details", SHF_ALLOC | SHF_LINK_ORDER},
                        {"cairn_points", SHF_ALLOC | SHF_LINK_ORDER},
                        {"cairn_layouts", SHF_ALLOC},
                        {"cairn_roots", SHF_ALLOC | SHF_WRITE | SHF_LINK_ORDER}};

static bool refers_to_stop_symbol(const struct cn_elf_file *elf, const char *name)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    if (s->sym.st_shndx == SHN_UNDEF && strncmp(s->name, stop_prefix, sizeof stop_prefix - 1) == 0 &&
        strcmp(s->name + sizeof stop_prefix - 1, name) == 0)
      return true;
  }
  return false;
}

/* True if the parts have the section. The object itself may lack the section, because frame maps replace its stack
 * maps. */
static bool has_section_named(struct cn_section_parts *parts, uint32_t names, const char *name)
{
  CN_ASSERT(names < parts->list.count);
  const struct cn_bytes *table = cn_part_make_writable(&parts->list.at[names]);
  size_t size = strlen(name) + 1;

  for (size_t i = 1; i < parts->list.count; i++) {
    const Elf64_Shdr *head = &parts->list.at[i].head;
    if (!(head->sh_flags & SHF_EXCLUDE) && head->sh_name < table->count && size <= table->count - head->sh_name &&
        memcmp((const char *)table->at + head->sh_name, name, size) == 0)
      return true;
  }
  return false;
}

void cn_bounds_add_sections(struct cn_section_parts *parts, const struct cn_elf_file *elf)
{
  uint32_t names = cn_elf_section_name_table(elf), text = cn_elf_find_section(elf, ".text", 0);

  CN_CHECK(parts->list.count >= elf->section_count && names < elf->section_count);
  if (!text || elf->sections[text].group)
    return;
  for (size_t i = 0; i < sizeof bounded_sections / sizeof *bounded_sections; i++) {
    if (!refers_to_stop_symbol(elf, bounded_sections[i].name) ||
        has_section_named(parts, names, bounded_sections[i].name))
      continue;
    uint32_t added = cn_parts_add_section(parts);
    struct cn_section_part *part = &parts->list.at[added];
    bool is_tied = bounded_sections[i].flags & SHF_LINK_ORDER;
    part->is_fresh = true;
    part->head = (Elf64_Shdr){.sh_name = cn_part_add_string(&parts->list.at[names], bounded_sections[i].name),
                              .sh_type = SHT_PROGBITS,
                              .sh_flags = bounded_sections[i].flags,
                              .sh_link = is_tied ? text : 0,
                              .sh_addralign = 8};
  }
}
