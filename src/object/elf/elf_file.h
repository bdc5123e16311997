/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and checks the sections and symbols of ELF files in memory. The sections of a relocatable object get addresses
 * as if linked, so that the same code reads objects and linked images. Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_FILE_H
#define CN_OBJECT_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "object/elf/elf_port.h"

struct cn_elf_section {
  const char *name;
  Elf64_Shdr head;     /* sh_addr is an assigned address for an object */
  unsigned char *data; /* head.sh_size bytes within the copy; null if the file has no bytes (SHT_NOBITS) */
  uint32_t group;      /* index of the section's SHT_GROUP section, or 0 */
  /* relocations: an object's first section of relocations of any form for this section, or 0. next_relocations: for a
   * section of relocations, the next one for the same section. */
  uint32_t relocations, next_relocations;
  bool relocated;
};

struct cn_elf_symbol {
  const char *name;
  Elf64_Sym sym;
  uint32_t section; /* section index; 0 if the symbol is undefined or outside sections */
};

struct cn_elf_file {
  unsigned char *bytes; /* a private copy, which cn_elf_assign_addresses() changes */
  size_t size;
  Elf64_Ehdr head;
  const struct cn_elf_port *port; /* of the file's machine; null if the machine has no port */
  struct cn_elf_section *sections;
  uint32_t section_count;
  struct cn_elf_symbol *symbols;
  uint32_t symbol_count;
  uint32_t symtab;     /* section index, or 0 if the table is missing */
  uint32_t *functions; /* indices of the STT_FUNC symbols, sorted by address */
  uint32_t function_count;
  uint32_t *placed; /* indices of the sections with addresses, sorted by address; null before the sort */
  uint32_t placed_count;
  bool sections_overlap;
  size_t fault_offset;      /* place of the last error in the file; stays valid after closing */
  const char *fault_reason; /* static text; null if the last error has no place */
};

/* Copy and check a file. Negative on error; *error then has a message, which the caller frees. cn_elf_open_for_port()
 * accepts files for machines with a port; cn_elf_open_any_machine() accepts files for every machine whose stack maps
 * this library reads. */
int cn_elf_open_any_machine(struct cn_elf_file *elf, const void *bytes, size_t size, char **error);
int cn_elf_open_for_port(struct cn_elf_file *elf, const void *bytes, size_t size, char **error);
void cn_elf_close(struct cn_elf_file *elf);

/* elf_check.c: null if the names, bytes and indices of an open file are within bounds and sorted tables are sorted;
 * else a description of the error. */
const char *cn_elf_wrong(const struct cn_elf_file *elf);

/* Record an error's place in the file, and format its message. Returns -1. */
int cn_elf_fail_at_offset(struct cn_elf_file *elf, size_t offset, const char *reason, char **error);

/* cn_elf_assign_addresses() gives each allocated section of a relocatable object a separate address (elf_relocate.c),
 * and sorts sections and functions. Afterwards cn_elf_relocate_section() applies the relocations of section `target`,
 * or the dynamic relocations in a linked image. Repeated calls relocate a section only once. */
int cn_elf_assign_addresses(struct cn_elf_file *elf, char **error);
int cn_elf_relocate_section(struct cn_elf_file *elf, uint32_t target, char **error);

/* Sort sections and functions by address. Requires that an object has assigned addresses. */
void cn_elf_sort_by_address(struct cn_elf_file *elf);

/* True for a section of relocations in a form that this reader refuses. */
bool cn_elf_is_packed_relocations(const struct cn_elf_section *section);
/* The first SHT_RELA section in the list of relocation sections from `from` on, or 0. `from` is a `relocations` or
 * `next_relocations`. */
uint32_t cn_elf_find_rela_section(const struct cn_elf_file *elf, uint32_t from);

/* For each symbol: an SHT_RELA relocation or a section group refers to it. The caller frees the array. Numbers above
 * the last symbol are skipped. */
bool *cn_elf_find_used_symbols(const struct cn_elf_file *elf);
/* The section that has the names of sections. */
uint32_t cn_elf_section_name_table(const struct cn_elf_file *elf);
/* The first section of this name from index `from` on, or 0. */
uint32_t cn_elf_find_section(const struct cn_elf_file *elf, const char *name, uint32_t from);
/* The total size in bytes of all sections of this name. */
uint64_t cn_elf_sum_section_bytes(const struct cn_elf_file *elf, const char *name);
/* True if these are the bytes of an ELF file with a section of this name. */
bool cn_elf_has_section(const void *bytes, size_t size, const char *name);
uint64_t cn_elf_symbol_address(const struct cn_elf_file *elf, const struct cn_elf_symbol *symbol);
/* The section that contains the address, or 0. */
uint32_t cn_elf_section_at(const struct cn_elf_file *elf, uint64_t address);
/* The function symbol whose range contains the address, or null. */
const struct cn_elf_symbol *cn_elf_function_at(const struct cn_elf_file *elf, uint64_t address);

/* Set *error to the formatted message. Returns -1. */
#define CN_FAIL(error, ...) (*(error) = cn_format(__VA_ARGS__), -1)

#endif
