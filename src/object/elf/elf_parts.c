/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the sections of a new object, and makes the file from them, for rewrite_object.c and thunk_names.c. struct
 * cn_section_parts owns the new bytes and borrows the old; the old object stays unchanged. Holds no state.
 */
#include "object/elf/elf_parts.h"

#include <string.h>

void cn_bytes_append(struct cn_bytes *bytes, const void *data, size_t size)
{
  CN_ASSERT(bytes->count <= bytes->room && (data || !size));
  if (bytes->room - bytes->count < size) {
    bytes->room = 2 * bytes->room + size;
    bytes->at = cn_realloc(bytes->at, bytes->room);
  }
  if (size)
    memcpy(bytes->at + bytes->count, data, size);
  bytes->count += size;
}

void cn_parts_copy_sections(struct cn_section_parts *parts, const struct cn_elf_file *elf, const unsigned char *old)
{
  CN_CHECK(!parts->list.count);
  for (uint32_t i = 0; i < elf->section_count; i++) {
    struct cn_section_part part = {0};
    memcpy(&part.head, old + elf->head.e_shoff + i * sizeof part.head, sizeof part.head);
    if (elf->sections[i].data)
      part.data = old + part.head.sh_offset;
    cn_push(&parts->list, part);
  }
}

uint32_t cn_parts_add_section(struct cn_section_parts *parts)
{
  CN_CHECK(parts->list.count && parts->list.count < UINT32_MAX);
  cn_push(&parts->list, (struct cn_section_part){.is_fresh = true});
  return (uint32_t)parts->list.count - 1;
}

struct cn_bytes *cn_part_make_writable(struct cn_section_part *part)
{
  if (!part->is_fresh && part->data)
    cn_bytes_append(&part->fresh, part->data, part->head.sh_size);
  part->is_fresh = true;
  return &part->fresh;
}

uint32_t cn_part_add_string(struct cn_section_part *table, const char *text)
{
  struct cn_bytes *strings = cn_part_make_writable(table);
  uint32_t at = (uint32_t)strings->count;

  CN_CHECK(strings->count < UINT32_MAX);
  cn_bytes_append(strings, text, strlen(text) + 1);
  return at;
}

/* Align the section in the file for readers that map the file; linkers only use sh_addralign. */
static void pad_to_alignment(struct cn_bytes *out, uint64_t align)
{
  uint64_t most = align < 64 ? align : 64;

  while (most > 1 && out->count % most)
    cn_push(out, 0);
}

struct cn_bytes cn_parts_build_file(struct cn_section_parts *parts, const Elf64_Ehdr *header)
{
  struct cn_bytes out = {0};
  Elf64_Ehdr head = *header;
  size_t count = parts->list.count;

  CN_CHECK(count && count <= UINT32_MAX && head.e_shentsize == sizeof(Elf64_Shdr));
  cn_bytes_append(&out, &head, sizeof head);
  for (size_t i = 1; i < count; i++) {
    struct cn_section_part *p = &parts->list.at[i];
    pad_to_alignment(&out, p->head.sh_addralign);
    p->head.sh_offset = out.count;
    if (p->is_fresh)
      p->head.sh_size = p->fresh.count;
    if (p->is_fresh || p->data)
      cn_bytes_append(&out, p->is_fresh ? p->fresh.at : p->data, p->head.sh_size);
  }
  pad_to_alignment(&out, 8);
  head.e_shoff = out.count;
  bool many = count >= SHN_LORESERVE; /* then the first section header has the number of sections */
  head.e_shnum = many ? 0 : (Elf64_Half)count;
  parts->list.at[0].head.sh_size = many ? count : 0;
  for (size_t i = 0; i < count; i++)
    cn_bytes_append(&out, &parts->list.at[i].head, sizeof parts->list.at[i].head);
  memcpy(out.at, &head, sizeof head);
  return out;
}

void cn_parts_free(struct cn_section_parts *parts)
{
  for (size_t i = 0; i < parts->list.count; i++)
    cn_free(&parts->list.at[i].fresh);
  cn_free(&parts->list);
}
