/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the sections of stack maps in ELF files of all machines, applies their relocations, and names functions. Runs
 * before the maps are decoded. struct cairn_stackmap_file owns a private copy of the file, the only thing that changes.
 * Errors have a status and a text.
 */
#include "object/stackmap/stackmap_file.h"

#include <stdlib.h>
#include "base/check.h"

static const char maps_section_name[] = ".llvm_stackmaps";

/* Check and relocate one section of stack maps. Refuse a section that is empty, compressed or without bytes (in a file
 * of debug information), because it must not pass for a map without roots. */
static int prepare_maps_section(struct cn_elf_file *elf, uint32_t section, char **error)
{
  const Elf64_Shdr *h = &elf->sections[section].head;

  if (!elf->sections[section].data || (h->sh_flags & SHF_COMPRESSED) || !h->sh_size)
    return cn_elf_fail_at_offset(elf, elf->head.e_shoff + section * sizeof *h,
                                 "the stack maps have no contents that can be read", error);
  return cn_elf_relocate_section(elf, section, error);
}

static enum cairn_status open_maps_file(struct cairn_stackmap_file *file, const void *bytes, size_t length,
                                        char **error)
{
  struct cn_elf_file *elf = &file->elf;

  if (cn_elf_open_any_machine(elf, bytes, length, error))
    return CAIRN_E_ELF;
  uint32_t section = cn_elf_find_section(elf, maps_section_name, 0);
  if (!section) {
    elf->fault_offset = 0;
    elf->fault_reason = cairn_status_text(CAIRN_E_NO_MAPS);
    return CAIRN_E_NO_MAPS;
  }
  if (cn_elf_assign_addresses(elf, error))
    return CAIRN_E_ELF;
  for (; section; section = cn_elf_find_section(elf, maps_section_name, section + 1)) {
    if (prepare_maps_section(elf, section, error))
      return CAIRN_E_ELF;
    cn_push(&file->sections, section);
  }
  return CAIRN_OK;
}

enum cairn_status cairn_stackmap_file_open(const void *bytes, size_t length, struct cairn_stackmap_file **file,
                                           struct cairn_stackmap_error *error)
{
  struct cairn_stackmap_file *opened = cn_alloc(sizeof *opened);
  char *message = NULL;
  enum cairn_status status = open_maps_file(opened, bytes, length, &message);

  free(message);
  *file = status < 0 ? NULL : opened;
  if (status < 0) {
    if (error)
      *error = (struct cairn_stackmap_error){opened->elf.fault_offset, opened->elf.fault_reason};
    cairn_stackmap_file_close(opened);
  }
  return status;
}

void cairn_stackmap_file_close(struct cairn_stackmap_file *file)
{
  if (!file)
    return;
  cn_free(&file->sections);
  cn_elf_close(&file->elf);
  free(file);
}

unsigned cairn_stackmap_file_machine(const struct cairn_stackmap_file *file)
{
  return file->elf.head.e_machine;
}

bool cairn_stackmap_file_is_object(const struct cairn_stackmap_file *file)
{
  return file->elf.head.e_type == ET_REL;
}

bool cairn_stackmap_file_section(const struct cairn_stackmap_file *file, unsigned index,
                                 struct cairn_stackmap_section *section)
{
  if (index >= file->sections.count)
    return false;
  uint32_t found = file->sections.at[index];
  CN_ASSERT(file->elf.sections[found].data && file->elf.sections[found].relocated);
  const struct cn_elf_section *s = &file->elf.sections[found];
  *section = (struct cairn_stackmap_section){s->data, s->head.sh_size, s->head.sh_offset, found};
  return true;
}

bool cairn_stackmap_file_function(const struct cairn_stackmap_file *file, uint64_t address,
                                  struct cairn_stackmap_symbol *symbol)
{
  const struct cn_elf_symbol *s = address ? cn_elf_function_at(&file->elf, address) : NULL;

  if (!s)
    return false;
  const struct cn_elf_section *section = &file->elf.sections[s->section];
  *symbol =
      (struct cairn_stackmap_symbol){.name = s->name,
                                     .section = section->name,
                                     .section_index = s->section,
                                     .address = cn_elf_symbol_address(&file->elf, s),
                                     .size = s->sym.st_size,
                                     .section_offset = cn_elf_symbol_address(&file->elf, s) - section->head.sh_addr};
  return true;
}
