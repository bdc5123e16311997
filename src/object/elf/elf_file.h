/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads ELF files in memory, checked: their sections and symbols. A relocatable object is also laid out as if linked,
 * so that the same code reads objects and linked images. Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_FILE_H
#define CN_OBJECT_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "object/elf/elf_x86_64.h"

struct cn_elf_section {
  const char *name;
  Elf64_Shdr head;     /* of a placed object, sh_addr is made up */
  unsigned char *data; /* head.sh_size bytes within the copy; null: the section is empty in the file (SHT_NOBITS) */
  uint32_t group;      /* index of the SHT_GROUP section that it belongs to, or 0 */
  /* Of an object: the first section of relocations, of any form, for this section, or 0. In a
   * section of relocations: the next one for the same section. */
  uint32_t relocations, next_relocations;
  bool relocated;
};

struct cn_elf_symbol {
  const char *name;
  Elf64_Sym sym;
  uint32_t section; /* index; 0 if undefined or outside sections */
};

struct cn_elf_file {
  unsigned char *bytes; /* our own copy: cn_elf_assign_addresses() changes it */
  size_t size;
  Elf64_Ehdr head;
  struct cn_elf_section *sections;
  uint32_t section_count;
  struct cn_elf_symbol *symbols;
  uint32_t symbol_count;
  uint32_t symtab;     /* section index; 0: missing */
  uint32_t *functions; /* indices of the STT_FUNC symbols, by address */
  uint32_t function_count;
  uint32_t *placed; /* indices of the sections that have addresses, by address; null: unsorted */
  uint32_t placed_count;
  bool sections_overlap;
  size_t fault_offset;      /* place of the last error in the file; still set after closing */
  const char *fault_reason; /* static text; null: the last error, if any, has no place */
};

/* Copy and check. Negative on error; *error is then a message to free. cn_elf_open_for_port() takes files
 * for CN_ELF_MACHINE; cn_elf_open_any_machine() takes those for each machine whose stack maps this library
 * reads. */
int cn_elf_open_any_machine(struct cn_elf_file *elf, const void *bytes, size_t size, char **error);
int cn_elf_open_for_port(struct cn_elf_file *elf, const void *bytes, size_t size, char **error);
void cn_elf_close(struct cn_elf_file *elf);

/* elf_check.c: null if names, bytes and indices of an open file are within bounds, and sorted tables sorted. */
const char *cn_elf_wrong(const struct cn_elf_file *elf);

/* Note an error's place in the file and make its message. Returns -1. */
int cn_elf_fail_at_offset(struct cn_elf_file *elf, size_t offset, const char *reason, char **error);

/* cn_elf_assign_addresses() gives each allocated section of a relocatable object its own address (elf_relocate.c), and
 * sorts sections and functions. After it cn_elf_relocate_section() applies the relocations of section `target`, in a
 * linked image the dynamic ones. It relocates a section once, however often it is called. */
int cn_elf_assign_addresses(struct cn_elf_file *elf, char **error);
int cn_elf_relocate_section(struct cn_elf_file *elf, uint32_t target, char **error);

/* Sort sections and functions by address. Place an object before. */
void cn_elf_sort_by_address(struct cn_elf_file *elf);

/* True for a section of relocations in a form that this reader refuses. */
bool cn_elf_is_packed_relocations(const struct cn_elf_section *section);
/* The first SHT_RELA section of an object's section, from section `from` on, which is a
 * `relocations` or `next_relocations`; or 0. */
uint32_t cn_elf_find_rela_section(const struct cn_elf_file *elf, uint32_t from);
/* The section with the names of sections. */
uint32_t cn_elf_section_name_table(const struct cn_elf_file *elf);
/* The next section of this name from `from` on, or 0. */
uint32_t cn_elf_find_section(const struct cn_elf_file *elf, const char *name, uint32_t from);
/* The bytes of all sections of this name. */
uint64_t cn_elf_sum_section_bytes(const struct cn_elf_file *elf, const char *name);
/* True if these are the bytes of an ELF file with a section of this name. */
bool cn_elf_has_section(const void *bytes, size_t size, const char *name);
uint64_t cn_elf_symbol_address(const struct cn_elf_file *elf, const struct cn_elf_symbol *symbol);
/* The section that holds the address, or 0. */
uint32_t cn_elf_section_at(const struct cn_elf_file *elf, uint64_t address);
/* The function symbol whose extent holds the address, or null. */
const struct cn_elf_symbol *cn_elf_function_at(const struct cn_elf_file *elf, uint64_t address);

/* Set *error to the formatted message. Returns -1. */
#define CN_FAIL(error, ...) (*(error) = cn_format(__VA_ARGS__), -1)

#endif
