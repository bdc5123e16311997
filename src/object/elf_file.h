/* SPDX-License-Identifier: Apache-2.0
 *
 * An x86-64 ELF file in memory, checked: sections, symbols, and for a relocatable object a picture
 * of it as if linked, so that relocatable objects and linked images are read by the same code.
 * Private to src/object.
 */
#ifndef CN_OBJECT_ELF_FILE_H
#define CN_OBJECT_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_elf_section {
  const char *name;
  Elf64_Shdr head;     /* of a placed object, sh_addr is made up */
  unsigned char *data; /* head.sh_size bytes within the copy; null if it has none (SHT_NOBITS) */
  uint32_t group;      /* index of the SHT_GROUP section that it belongs to, or 0 */
};

struct cn_elf_symbol {
  const char *name;
  Elf64_Sym sym;
  uint32_t section; /* index; 0 if undefined or not in a section */
};

struct cn_elf {
  unsigned char *bytes; /* our own copy: cn_elf_place() changes it */
  size_t size;
  Elf64_Ehdr head;
  struct cn_elf_section *sections;
  uint32_t section_count;
  struct cn_elf_symbol *symbols;
  uint32_t symbol_count;
  uint32_t symtab;     /* section index, 0 if none */
  uint32_t *functions; /* indices of the STT_FUNC symbols, by address */
  uint32_t function_count;
};

/* Copy and check. Negative on error; *error is then a message to free. */
int cn_elf_open(struct cn_elf *elf, const void *bytes, size_t size, char **error);
void cn_elf_close(struct cn_elf *elf);

/* Give every allocated section of a relocatable object an address of its own and apply the
 * relocations of section `target`. Does nothing to a linked image. */
int cn_elf_place(struct cn_elf *elf, char **error);
int cn_elf_relocate(struct cn_elf *elf, uint32_t target, char **error);

/* The next section of this name from `from` on, or 0. */
uint32_t cn_elf_find(const struct cn_elf *elf, const char *name, uint32_t from);
uint64_t cn_elf_address(const struct cn_elf *elf, const struct cn_elf_symbol *symbol);
/* The section that holds the address, or 0. */
uint32_t cn_elf_section_at(const struct cn_elf *elf, uint64_t address);
/* The function symbol whose extent holds the address, or null. */
const struct cn_elf_symbol *cn_elf_function_at(const struct cn_elf *elf, uint64_t address);

/* Read a whole file. Negative on error. */
int cn_file_read(const char *path, void **bytes, size_t *size, char **error);

/* Set *error to the formatted message and be -1. */
#define CN_FAIL(error, ...) (*(error) = cn_format(__VA_ARGS__), -1)

#endif
