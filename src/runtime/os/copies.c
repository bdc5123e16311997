/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a second copy of the runtime in the process. Each copy has an ELF note, which this file searches for in all
 * loaded files. The dynamic linker owns all state. Runs on any thread, in any phase.
 */
#include "runtime/os/os.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include "base/check.h"

enum { RUNTIME_NOTE = 1, NOTE_ALIGNMENT = 4 };

static const struct runtime_note {
  ElfW(Nhdr) header;
  char name[8];
} own_note __attribute__((section(".note.cairn.runtime"), aligned(NOTE_ALIGNMENT), used)) = {
    .header = {.n_namesz = sizeof "Cairn", .n_descsz = 0, .n_type = RUNTIME_NOTE}, .name = "Cairn"};

static size_t padded_size(size_t bytes)
{
  return (bytes + NOTE_ALIGNMENT - 1) & ~(size_t)(NOTE_ALIGNMENT - 1);
}

/* The address of another runtime's note in the segment; 0 if there is none. */
static uintptr_t find_other_note(uintptr_t segment, size_t bytes)
{
  size_t at = 0;

  CN_ASSERT(segment % NOTE_ALIGNMENT == 0);
  while (bytes - at >= sizeof own_note) {
    const struct runtime_note *note = (const struct runtime_note *)(segment + at);
    size_t name = note->header.n_namesz, description = note->header.n_descsz;
    if (note != &own_note && note->header.n_type == RUNTIME_NOTE && name == own_note.header.n_namesz &&
        memcmp(note->name, own_note.name, name) == 0)
      return (uintptr_t)note;
    size_t size = sizeof note->header + padded_size(name) + padded_size(description);
    if (size > bytes - at)
      break;
    at += size;
  }
  return 0;
}

static int find_other_runtime(struct dl_phdr_info *info, size_t size, void *env)
{
  uintptr_t *other = env;

  (void)size;
  for (unsigned i = 0; i < info->dlpi_phnum && *other == 0; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE && segment->p_align <= NOTE_ALIGNMENT)
      *other = find_other_note(info->dlpi_addr + segment->p_vaddr, segment->p_memsz);
  }
  return *other != 0;
}

uintptr_t cn_os_find_other_runtime(uintptr_t *own)
{
  uintptr_t other = 0;

  CN_ASSERT(own_note.header.n_namesz <= sizeof own_note.name && (uintptr_t)&own_note % NOTE_ALIGNMENT == 0);
  *own = (uintptr_t)&own_note;
  dl_iterate_phdr(find_other_runtime, &other);
  CN_ASSERT(other != *own);
  return other;
}
