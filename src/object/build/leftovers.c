/* SPDX-License-Identifier: Apache-2.0
 *
 * Find stack maps that nobody turned into frame maps: the runtime would take the frames of that
 * code for native ones.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>
#include "object/build/image_check.h"

static bool has_section(Elf *elf, const char *name)
{
  size_t names;
  GElf_Shdr header;

  if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
    return false;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
    const char *own = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    if (own && strcmp(own, name) == 0)
      return true;
  }
  return false;
}

bool cn_leftovers_in(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool found = false;

  if (fd < 0)
    return false;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  if (elf) {
    found = has_section(elf, ".llvm_stackmaps");
    elf_end(elf);
  }
  close(fd);
  return found;
}
