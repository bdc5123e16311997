/* SPDX-License-Identifier: Apache-2.0
 *
 * Mends relocations of code whose offset is too large by 2^32: LLVM 22 writes them for `.reloc label-N`, if N bytes
 * before the label another fragment of the section begins (findings/llvm-reloc-wrapped.sh). Entries of managed
 * functions have such relocations on machines where constant data can state a jump only so. Part of the rewriting of an
 * object, without state.
 */
#include "object/build/rewrite_steps.h"

#include <string.h>
#include "base/check.h"

static bool is_wrapped(const Elf64_Rela *r, uint64_t size)
{
  return r->r_offset >> 32 == 1 && (uint32_t)r->r_offset < size;
}

/* True if the section has relocations of code below 4 GiB. */
static bool is_of_code(const struct cn_elf_file *elf, const struct cn_elf_section *section)
{
  if (section->head.sh_type != SHT_RELA || section->head.sh_info >= elf->section_count || !section->data)
    return false;
  const Elf64_Shdr *code = &elf->sections[section->head.sh_info].head;
  return (code->sh_flags & SHF_EXECINSTR) != 0 && code->sh_size <= UINT32_MAX;
}

static bool has_wrapped(const unsigned char *data, uint64_t bytes, uint64_t size)
{
  Elf64_Rela r;

  for (uint64_t at = 0; at + sizeof r <= bytes; at += sizeof r) {
    memcpy(&r, data + at, sizeof r);
    if (is_wrapped(&r, size))
      return true;
  }
  return false;
}

bool cn_wrapped_offsets_are_present(const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *section = &elf->sections[i];
    if (is_of_code(elf, section) &&
        has_wrapped(section->data, section->head.sh_size, elf->sections[section->head.sh_info].head.sh_size))
      return true;
  }
  return false;
}

void cn_wrapped_offsets_mend(struct cn_section_parts *parts, const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *section = &elf->sections[i];
    if (!is_of_code(elf, section))
      continue;
    uint64_t size = elf->sections[section->head.sh_info].head.sh_size;
    struct cn_bytes *bytes = cn_part_make_writable(&parts->list.at[i]);
    Elf64_Rela r;
    for (uint64_t at = 0; at + sizeof r <= bytes->count; at += sizeof r) {
      memcpy(&r, bytes->at + at, sizeof r);
      if (is_wrapped(&r, size))
        r.r_offset = (uint32_t)r.r_offset;
      memcpy(bytes->at + at, &r, sizeof r);
    }
  }
}
