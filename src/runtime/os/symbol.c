/* SPDX-License-Identifier: Apache-2.0
 *
 * Names addresses in messages by the symbol tables of the loaded ELF files, and finds the file that has an address.
 * Unlike dladdr(), this finds functions and data that are not exported, also in static programs. The files are mapped
 * during a call, and every offset is checked; all state is local. Runs on any thread, in any phase.
 */
#include "runtime/os/os.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"

static const char executable_path[] = "/proc/self/exe"; /* names the dynamic linker if the program is its argument */

/* A search for the loaded file that has `pc`. */
struct image_query {
  uintptr_t pc, bias;
  uintptr_t start;  /* the address of the file's first mapped segment */
  const char *file; /* a name that may be relative; null: the program's file */
};

static uintptr_t first_segment_of(const struct dl_phdr_info *info)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_filesz != 0)
      return info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
  return 0;
}

static int find_image_with_pc(struct dl_phdr_info *info, size_t size, void *env)
{
  struct image_query *query = env;

  (void)size;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && query->pc - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
      query->bias = info->dlpi_addr;
      query->start = first_segment_of(info);
      query->file = info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : NULL;
      return 1;
    }
  }
  return 0;
}

struct image_file {
  const unsigned char *bytes;
  size_t size;
};

static bool is_inside_file(const struct image_file *file, uint64_t offset, uint64_t bytes)
{
  return offset <= file->size && bytes <= file->size - offset;
}

/* Excludes the names of versions, which are absolute symbols of type data. */
static bool is_code_or_data(const Elf64_Sym *symbol)
{
  unsigned type = ELF64_ST_TYPE(symbol->st_info);

  return (type == STT_FUNC || type == STT_OBJECT) && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
}

/* True if the symbol describes the address better than `best`, which may be null. A symbol without a size, such as a
 * symbol of assembly, extends up to the next symbol. */
static bool is_better_symbol(const Elf64_Sym *symbol, uintptr_t address, const Elf64_Sym *best)
{
  if (symbol->st_value > address || (symbol->st_size != 0 && address - symbol->st_value >= symbol->st_size))
    return false;
  if (best == NULL || (symbol->st_size == 0) != (best->st_size == 0))
    return best == NULL || symbol->st_size != 0;
  return symbol->st_value > best->st_value;
}

/* The name of the best symbol of one table, or null. */
static const char *find_nearest_symbol(const struct image_file *file, const Elf64_Shdr *table,
                                       const Elf64_Shdr *strings, uintptr_t address, uintptr_t *start)
{
  const Elf64_Sym *best = NULL;

  if (!is_inside_file(file, table->sh_offset, table->sh_size) || table->sh_offset % 8 != 0 ||
      !is_inside_file(file, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
      file->bytes[strings->sh_offset + strings->sh_size - 1] != 0)
    return NULL;
  const Elf64_Sym *symbols = (const void *)(file->bytes + table->sh_offset);
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
    const Elf64_Sym *symbol = &symbols[i];
    if (is_code_or_data(symbol) && symbol->st_name < strings->sh_size && is_better_symbol(symbol, address, best))
      best = symbol;
  }
  if (best == NULL)
    return NULL;
  CN_ASSERT(best->st_value <= address && best->st_name < strings->sh_size);
  *start = best->st_value;
  return (const char *)file->bytes + strings->sh_offset + best->st_name;
}

static const char *find_symbol_in_file(const struct image_file *file, uintptr_t address, uintptr_t *start)
{
  const Elf64_Ehdr *header = (const void *)file->bytes;
  const char *name = NULL;

  if (file->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 != 0 ||
      !is_inside_file(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
    return NULL;
  const Elf64_Shdr *sections = (const void *)(file->bytes + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum && name == NULL; i++)
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
      name = find_nearest_symbol(file, &sections[i], &sections[sections[i].sh_link], address, start);
  for (unsigned i = 0; i < header->e_shnum && name == NULL; i++)
    if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < header->e_shnum)
      name = find_nearest_symbol(file, &sections[i], &sections[sections[i].sh_link], address, start);
  return name;
}

static int open_image_file(const struct image_query *query)
{
  char name[1024]; /* small, since a handler's stack may be small */
  const char *file = query->file != NULL ? query->file : executable_path;

  if (query->file == NULL && cn_os_is_linkers_argument()) {
    if (!cn_os_find_mapped_file(query->start, name, sizeof name))
      return -1;
    file = name;
  }
  return cn_os_file_open(file, O_RDONLY | O_CLOEXEC, 0);
}

bool cn_os_describe_symbol(uintptr_t pc, char *buffer, size_t size)
{
  struct image_query query = {.pc = pc};
  struct stat status;

  if (!dl_iterate_phdr(find_image_with_pc, &query))
    return false;
  int fd = open_image_file(&query);
  if (fd < 0)
    return false;
  void *bytes = MAP_FAILED;
  if (fstat(fd, &status) == 0 && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  cn_os_file_close(fd);
  if (bytes == MAP_FAILED)
    return false;
  struct image_file file = {bytes, (size_t)status.st_size};
  CN_ASSERT(size != 0 && pc >= query.bias);
  uintptr_t start = 0;
  const char *name = find_symbol_in_file(&file, pc - query.bias, &start);
  if (name != NULL)
    snprintf(buffer, size, "%s+0x%lx", name, (unsigned long)(pc - query.bias - start));
  munmap(bytes, file.size);
  return name != NULL;
}

bool cn_os_is_loaded_from_file(uintptr_t address)
{
  struct image_query query = {.pc = address};

  return dl_iterate_phdr(find_image_with_pc, &query) != 0;
}

bool cn_os_find_module_file(uintptr_t pc, char *buffer, size_t size)
{
  struct image_query query = {.pc = pc};

  if (!dl_iterate_phdr(find_image_with_pc, &query))
    return false;
  if (query.file != NULL) {
    int length = snprintf(buffer, size, "%s", query.file);
    return length > 0 && (size_t)length < size;
  }
  if (cn_os_is_linkers_argument())
    return cn_os_find_mapped_file(query.start, buffer, size);
  ssize_t n = readlink(executable_path, buffer, size);
  if (n <= 0 || (size_t)n >= size)
    return false;
  buffer[n] = 0;
  return true;
}
