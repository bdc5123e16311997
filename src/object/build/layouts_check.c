/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the layouts of an object in section cairn_layouts. The runtime also refuses layouts of another version, but
 * its message can only name the program. Runs before an object is rewritten or its layouts are printed. Leaves the
 * object unchanged, and holds no state.
 */
#include "object/build/image_check.h"

#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"

/* The offsets of the fields that determine a layout's length (include/cairn/collector.h). */
enum { BASE_REFS_OFFSET = 4, ELEM_REFS_OFFSET = 32, LAYOUT_HEADER_BYTES = 40, LAYOUT_ALIGNMENT = 8 };

static uint32_t load_word_at(const unsigned char *at)
{
  uint32_t word;

  memcpy(&word, at, sizeof word);
  return word;
}

/* The bytes of the layout, up to the first place for the next layout. 0 if the layout exceeds the section. */
static uint64_t layout_bytes_of(const unsigned char *layout, uint64_t room)
{
  if (room < LAYOUT_HEADER_BYTES)
    return 0;
  uint64_t refs = (uint64_t)load_word_at(layout + BASE_REFS_OFFSET) + load_word_at(layout + ELEM_REFS_OFFSET);
  uint64_t bytes = LAYOUT_HEADER_BYTES + refs * sizeof(uint32_t);
  return bytes <= room ? (bytes + LAYOUT_ALIGNMENT - 1) / LAYOUT_ALIGNMENT * LAYOUT_ALIGNMENT : 0;
}

static int check_layout_section(const struct cn_elf_section *section, char **error)
{
  const unsigned char *data = section->data;
  uint64_t at = 0, size = data ? section->head.sh_size : 0, bytes;

  for (; at < size && size - at >= LAYOUT_ALIGNMENT; at += bytes) {
    uint32_t magic = load_word_at(data + at);
    bytes = LAYOUT_ALIGNMENT; /* zero words may separate the layouts of two units */
    if (magic == 0 && load_word_at(data + at + sizeof magic) == 0)
      continue;
    if (magic == CAIRN_ABI_LAYOUT_MAGIC_1)
      return CN_FAIL(error, "its layouts are of version 1, and those of this Cairn of version 2: "
                            "compile it again");
    bytes = magic == CAIRN_ABI_LAYOUT_MAGIC ? layout_bytes_of(data + at, size - at) : 0;
    if (bytes == 0)
      return CN_FAIL(error, "section '%s' is damaged at offset %llu", section->name, (unsigned long long)at);
  }
  return 0;
}

int cn_object_layouts_check(const struct cn_elf_file *elf, char **error)
{
  CN_ASSERT(elf->section_count == 0 || elf->sections != NULL);
  for (uint32_t i = 0; (i = cn_elf_find_section(elf, "cairn_layouts", i + 1));)
    if (check_layout_section(&elf->sections[i], error))
      return -1;
  return 0;
}
