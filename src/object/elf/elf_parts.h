/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a relocatable object from the sections of an old object, with changed or additional sections. Private to
 * src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_PARTS_H
#define CN_OBJECT_ELF_ELF_PARTS_H

#include <stddef.h>
#include "framemap/leb.h"
#include "object/elf/elf_file.h"

/* A section of the new object: its header and its bytes. */
struct cn_section_part {
  Elf64_Shdr head;
  const unsigned char *data; /* bytes of the old object */
  struct cn_bytes fresh;     /* new bytes, used in place of `data` if `is_fresh` */
  bool is_fresh;
};

struct cn_section_parts {
  CN_VECTOR(struct cn_section_part) list; /* by section index */
};

void cn_bytes_append(struct cn_bytes *bytes, const void *data, size_t size);

/* Add all sections of `elf` unchanged. The file's bytes `old` must outlive the parts. */
void cn_parts_copy_sections(struct cn_section_parts *parts, const struct cn_elf_file *elf, const unsigned char *old);
/* Add a section without name and bytes. Returns its index. */
uint32_t cn_parts_add_section(struct cn_section_parts *parts);
/* Copy the part's bytes, so that the caller may change them. */
struct cn_bytes *cn_part_make_writable(struct cn_section_part *part);
/* Append a string to a string table. Returns the string's offset. */
uint32_t cn_part_add_string(struct cn_section_part *table, const char *text);
/* Make the file: header, sections by index, section headers. The caller frees the file. */
struct cn_bytes cn_parts_build_file(struct cn_section_parts *parts, const Elf64_Ehdr *header);
void cn_parts_free(struct cn_section_parts *parts);

/* elf_bounds.c: adds missing sections whose bounds an object refers to. */

/* Add these empty sections to `parts`, the sections of `elf`. */
void cn_bounds_add_sections(struct cn_section_parts *parts, const struct cn_elf_file *elf);

/* elf_memory.c: prepares an object for loaders that do only a part of a linker's work. */

/* Bind __start_SECTION and __stop_SECTION to the object's own sections, and `cairn_mutator` to the thread pointer plus
 * `mutator`. Returns 0, and the caller frees *out. Negative on error. */
int cn_elf_bind_object_symbols(const void *bytes, size_t size, ptrdiff_t mutator, void **out, size_t *out_size,
                               char **error);

#endif
