/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the debug information of an object, for inline_chains.c and lines.c. Debug sections are relocated like other
 * sections; libelf first decompresses compressed sections into its own memory. Changes only the object's private copy.
 * struct cn_debug owns the handles of libelf and libdw; this file holds no state. Errors are returned as text.
 */
#include "object/dwarf/lines.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* Limits of decompression, because a small file could take gigabytes. zlib expands a byte to up to a thousand bytes,
 * and libdw expands each of these bytes in a line table to a hundred bytes. Sections from compilers have a high
 * compression ratio only if they are small. */
enum { MAX_EXPANSION_RATIO = 64, MAX_EXPANDED_BYTES = 1 << 20 };

/* True if the sections that grow by more than MAX_EXPANSION_RATIO have more than MAX_EXPANDED_BYTES in total. */
static bool is_decompression_bomb(const struct cn_elf_file *elf)
{
  uint64_t sum = 0;

  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    Elf64_Chdr head;
    if (!(s->head.sh_flags & SHF_COMPRESSED) || !s->data || s->head.sh_size < sizeof head)
      continue;
    memcpy(&head, s->data, sizeof head);
    if (head.ch_size / MAX_EXPANSION_RATIO > s->head.sh_size)
      sum = head.ch_size < UINT64_MAX - sum ? sum + head.ch_size : UINT64_MAX;
  }
  return sum > MAX_EXPANDED_BYTES;
}

/* True if libdw may read the section. libelf converts sections of other types, and libdw would read past the end of a
 * string section with an unterminated last string. */
static bool is_debug_section_sound(const struct cn_elf_section *s)
{
  static const char *const strings[] = {".debug_str", ".debug_line_str", ".debug_str.dwo", ".debug_line_str.dwo"};

  if (s->head.sh_type != SHT_PROGBITS)
    return false;
  for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
    if (strcmp(s->name, strings[i]) == 0)
      return !s->head.sh_size || (s->data && !s->data[s->head.sh_size - 1]);
  return true;
}

static bool relocate_compressed_section(struct cn_debug *debug, struct cn_elf_file *elf, uint32_t section, char **error)
{
  struct cn_elf_section *s = &elf->sections[section], compressed = *s;
  Elf_Scn *scn = elf_getscn(debug->view, section);
  Elf_Data *data = NULL;

  CN_CHECK(debug->view && (s->head.sh_flags & SHF_COMPRESSED));
  if (scn && elf_compress(scn, 0, 0) >= 0)
    data = elf_rawdata(scn, NULL);
  if (!data || !data->d_buf)
    return false;
  s->data = data->d_buf;
  s->head.sh_size = data->d_size;
  bool ok = cn_elf_relocate_section(elf, section, error) == 0 && is_debug_section_sound(s);
  *s = compressed;
  return ok;
}

static bool relocate_debug_sections(struct cn_debug *debug, struct cn_elf_file *elf)
{
  char *error = NULL;
  bool found = false, ok = true;

  for (uint32_t i = 1; ok && i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    if (strstr(s->name, ".zdebug_"))
      return false; /* compressed in the form before the ELF standard's form */
    if (strncmp(s->name, ".debug_", 7) != 0 || (s->head.sh_flags & SHF_ALLOC))
      continue;
    found |= strcmp(s->name, ".debug_info") == 0;
    ok = s->head.sh_flags & SHF_COMPRESSED ? relocate_compressed_section(debug, elf, i, &error)
                                           : cn_elf_relocate_section(elf, i, &error) == 0 && is_debug_section_sound(s);
    free(error);
    error = NULL;
  }
  return ok && found;
}

bool cn_debug_info_open(struct cn_debug *debug, struct cn_elf_file *elf)
{
  *debug = (struct cn_debug){0};
  if (!cn_elf_find_section(elf, ".debug_info", 0) || is_decompression_bomb(elf))
    return false;
  elf_version(EV_CURRENT);
  debug->view = elf_memory((char *)elf->bytes, elf->size);
  if (debug->view && relocate_debug_sections(debug, elf))
    debug->dwarf = dwarf_begin_elf(debug->view, DWARF_C_READ, NULL);
  if (!debug->dwarf)
    cn_debug_info_close(debug);
  return debug->dwarf != NULL;
}

void cn_debug_info_close(struct cn_debug *debug)
{
  if (debug->dwarf)
    dwarf_end(debug->dwarf);
  if (debug->view)
    elf_end(debug->view);
  *debug = (struct cn_debug){0};
}
