/* SPDX-License-Identifier: Apache-2.0
 *
 * An ELF file in memory, checked: sections, symbols, and for a relocatable object a picture
 * of it as if linked, so that relocatable objects and linked images are read by the same code.
 * Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_FILE_H
#define CN_OBJECT_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "object/elf/port_x86_64.h"

struct cn_elf_section {
  const char *name;
  Elf64_Shdr head;     /* of a placed object, sh_addr is made up */
  unsigned char *data; /* head.sh_size bytes within the copy; null if it has none (SHT_NOBITS) */
  uint32_t group;      /* index of the SHT_GROUP section that it belongs to, or 0 */
  /* Of an object: the first section of relocations, of any form, that are about this one, or 0;
   * and if this is one itself, the next that is about the same. */
  uint32_t relocations, next_relocations;
  bool relocated;
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
  uint32_t *placed; /* indices of the sections that have addresses, by address; null: not sorted */
  uint32_t placed_count;
  bool sections_overlap;
  size_t fault_offset;      /* of the last error, in the file; also after closing */
  const char *fault_reason; /* static text; null: no error with a place */
};

/* Copy and check. Negative on error; *error is then a message to free. cn_elf_open() takes files
 * for CN_ELF_MACHINE, cn_elf_open_any() those for all machines whose stack maps are read. */
int cn_elf_open_any(struct cn_elf *elf, const void *bytes, size_t size, char **error);
int cn_elf_open(struct cn_elf *elf, const void *bytes, size_t size, char **error);
void cn_elf_close(struct cn_elf *elf);

/* elf_check.c: names, bytes and indices of an open file are within bounds, and what is sorted is
 * sorted. */
const char *cn_elf_wrong(const struct cn_elf *elf);

/* Note an error's place in the file and make its message; the result is -1. */
int cn_elf_fail(struct cn_elf *elf, size_t offset, const char *reason, char **error);

/* cn_elf_place(): give every allocated section of a relocatable object an address of its own
 * (elf_relocate.c), and sort sections and functions. Then cn_elf_relocate() applies the relocations
 * of section `target`; in a linked image the dynamic ones. A section is relocated once, however
 * often it is asked for. */
int cn_elf_place(struct cn_elf *elf, char **error);
int cn_elf_relocate(struct cn_elf *elf, uint32_t target, char **error);

/* Sort sections and functions by address; of an object, after it was placed. */
void cn_elf_sort(struct cn_elf *elf);

/* Is it a section of relocations in a form that is not read here? */
bool cn_elf_is_packed(const struct cn_elf_section *section);
/* Of an object: the section's first SHT_RELA section, from `from` on, which is `relocations` or a
 * `next_relocations` of a section; or 0. */
uint32_t cn_elf_rela(const struct cn_elf *elf, uint32_t from);
/* The next section of this name from `from` on, or 0. */
uint32_t cn_elf_find(const struct cn_elf *elf, const char *name, uint32_t from);
/* Are these the bytes of an ELF file with a section of this name? */
bool cn_elf_has(const void *bytes, size_t size, const char *name);
uint64_t cn_elf_address(const struct cn_elf *elf, const struct cn_elf_symbol *symbol);
/* The section that holds the address, or 0. */
uint32_t cn_elf_section_at(const struct cn_elf *elf, uint64_t address);
/* The function symbol whose extent holds the address, or null. */
const struct cn_elf_symbol *cn_elf_function_at(const struct cn_elf *elf, uint64_t address);

/* Set *error to the formatted message; the value is -1. */
#define CN_FAIL(error, ...) (*(error) = cn_format(__VA_ARGS__), -1)

#endif
