/* SPDX-License-Identifier: Apache-2.0
 *
 * Take apart a section `cairn_frames` in which `ld -r` joined those of several code sections.
 */
#include "object/frames_split.h"

#include <stdlib.h>
#include <string.h>

/* The code that a relocation of a frame map's entry names: its section, or 0. */
static uint32_t target_of(const struct cn_elf *elf, const Elf64_Rela *r, uint64_t *offset)
{
  if (ELF64_R_SYM(r->r_info) >= elf->symbol_count || ELF64_R_TYPE(r->r_info) != R_X86_64_PC32)
    return 0;
  const struct cn_elf_symbol *symbol = &elf->symbols[ELF64_R_SYM(r->r_info)];
  *offset = symbol->sym.st_value + (uint64_t)r->r_addend;
  return symbol->section;
}

static Elf64_Rela relocation(const struct cn_elf_section *rela, size_t index)
{
  Elf64_Rela r;

  memcpy(&r, rela->data + index * sizeof r, sizeof r);
  return r;
}

static const struct cn_elf_section *relocations_of(const struct cn_elf *elf, uint32_t section)
{
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (elf->sections[i].head.sh_type == SHT_RELA && elf->sections[i].head.sh_info == section)
      return &elf->sections[i];
  return NULL;
}

static size_t count_of(const struct cn_elf_section *rela)
{
  return rela ? rela->head.sh_size / sizeof(Elf64_Rela) : 0;
}

uint32_t cn_frames_find_mixed(const struct cn_elf *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *rela = &elf->sections[i];
    uint32_t target = rela->head.sh_info;
    if (rela->head.sh_type != SHT_RELA || !target || target >= elf->section_count ||
        strcmp(elf->sections[target].name, "cairn_frames") != 0)
      continue;
    for (size_t k = 0; k < count_of(rela); k++) {
      Elf64_Rela r = relocation(rela, k);
      uint64_t offset;
      if (target_of(elf, &r, &offset) != elf->sections[target].head.sh_link)
        return target;
    }
  }
  return 0;
}

/* For each 4 bytes of the section the number of the relocation there, plus 1. */
static uint32_t *index_relocations(const struct cn_elf_section *frames,
                                   const struct cn_elf_section *rela)
{
  uint32_t *index = cn_alloc((frames->head.sh_size / 4 + 1) * sizeof *index);

  for (size_t i = 0; i < count_of(rela); i++) {
    uint64_t at = relocation(rela, i).r_offset;
    if (at < frames->head.sh_size)
      index[at / 4] = (uint32_t)i + 1;
  }
  return index;
}

static void keep(struct cn_encoded_frames *out, struct cn_encoded encoded, const unsigned char *map)
{
  encoded.start = out->bytes.count;
  for (size_t i = 0; i < encoded.length; i++)
    cn_push(&out->bytes, map[i]);
  cn_push(&out->functions, encoded);
}

static int split(const struct cn_elf *elf, const struct cn_elf_section *frames,
                 const struct cn_elf_section *rela, const uint32_t *index,
                 struct cn_encoded_frames *out)
{
  const unsigned char *cursor = frames->data, *end = cursor + frames->head.sh_size;
  struct cn_framemap_function f;
  int status;

  while (!(status = cn_framemap_next_function(&cursor, end, &f))) {
    struct cn_encoded encoded = {.length = (size_t)(f.end - f.data)};
    uint32_t found = index[(size_t)(f.data - frames->data + CN_MAP_ENTRY) / 4];
    if (!found)
      return CN_FRAMEMAP_BAD;
    Elf64_Rela r = relocation(rela, found - 1);
    encoded.section = target_of(elf, &r, &encoded.offset);
    if (!encoded.section)
      return CN_FRAMEMAP_BAD;
    keep(out, encoded, f.data);
  }
  return status;
}

static int by_place(const void *x, const void *y)
{
  const struct cn_encoded *a = x, *b = y;

  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a->start < b->start ? -1 : a->start > b->start;
}

int cn_frames_split(const struct cn_elf *elf, uint32_t section, struct cn_encoded_frames *out,
                    char **error)
{
  const struct cn_elf_section *frames = &elf->sections[section];
  const struct cn_elf_section *rela = relocations_of(elf, section);

  *out = (struct cn_encoded_frames){0};
  if (!frames->data || !rela)
    return CN_FAIL(error, "section cairn_frames: malformed");
  uint32_t *index = index_relocations(frames, rela);
  int status = split(elf, frames, rela, index, out);
  free(index);
  if (status != CN_FRAMEMAP_NONE) {
    cn_encoded_free(out);
    return CN_FAIL(error, "section cairn_frames: malformed");
  }
  if (out->functions.count)
    qsort(out->functions.at, out->functions.count, sizeof *out->functions.at, by_place);
  return 0;
}

void cn_encoded_free(struct cn_encoded_frames *frames)
{
  cn_free(&frames->functions);
  cn_free(&frames->bytes);
}
