/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves constructors and destructors from .ctors and .dtors to .init_array and .fini_array.
 *
 * A target machine made through LLVM's C interface writes .ctors and .dtors. GNU ld and gold move these functions to
 * .init_array and .fini_array. lld and mold keep both sections, so that the functions never run and the image stays
 * unregistered. This file does the work of GNU ld. `.ctors` runs from its end, so its pointers are reversed, and
 * `.ctors.NNNNN` has priority 65535 - NNNNN. Sections keep their indices; new names are appended to the table of
 * section names.
 *
 * Runs while an object is rewritten (rewrite_object.c), changes the new object, and holds no state. Errors are returned
 * as text.
 */
#include "object/build/rewrite_steps.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

enum { DEFAULT_PRIORITY = 65535, POINTER_BYTES = 8 };

static const struct structor_form {
  const char *old, *current;
  uint32_t type;
} structor_forms[] = {{".ctors", ".init_array", SHT_INIT_ARRAY}, {".dtors", ".fini_array", SHT_FINI_ARRAY}};

static const struct structor_form *structor_form_of(const struct cn_elf_section *section)
{
  for (size_t i = 0; i < sizeof structor_forms / sizeof *structor_forms; i++) {
    size_t length = strlen(structor_forms[i].old);
    if (section->head.sh_type == SHT_PROGBITS && strncmp(section->name, structor_forms[i].old, length) == 0 &&
        (!section->name[length] || section->name[length] == '.'))
      return &structor_forms[i];
  }
  return NULL;
}

static bool registers_image(const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (strcmp(elf->symbols[i].name, "cairn_image_register") == 0)
      return true;
  return false;
}

bool cn_structors_are_in_old_tables(const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (structor_form_of(&elf->sections[i]))
      return registers_image(elf);
  return false;
}

/* The new name of the section's relocations, which the caller frees. Null if the section's suffix is not a priority. */
static char *new_rela_name_of(const struct cn_elf_section *section, const struct structor_form *form)
{
  const char *suffix = section->name + strlen(form->old);
  char *end;

  if (!*suffix)
    return cn_format(".rela%s", form->current);
  unsigned long number = strtoul(suffix + 1, &end, 10);
  if (end == suffix + 1 || *end || suffix[1] < '0' || suffix[1] > '9' || number > DEFAULT_PRIORITY)
    return NULL;
  return cn_format(".rela%s.%lu", form->current, DEFAULT_PRIORITY - number);
}

/* True if the section's bytes are zero, so that all of its contents come from relocations. */
static bool is_section_zero(const struct cn_elf_section *section)
{
  for (uint64_t i = 0; i < section->head.sh_size; i++)
    if (section->data[i])
      return false;
  return true;
}

/* True for symbols of sections, and for mapping symbols ("ELF for the Arm 64-bit Architecture", 5.5.5). */
static bool is_without_name(const struct cn_elf_file *elf, const struct cn_elf_symbol *symbol)
{
  const char *name = symbol->name;

  if (ELF64_ST_TYPE(symbol->sym.st_info) == STT_SECTION)
    return true;
  return elf->port->has_mapping_symbols && symbol->sym.st_info == ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE) &&
         name[0] == '$' && (name[1] == 'd' || name[1] == 'x') && (name[2] == '\0' || name[2] == '.');
}

/* True if a symbol names one of several pointers, because the symbol would name another pointer after the reversal. */
static bool has_named_pointers(const struct cn_elf_file *elf, uint32_t section)
{
  if (elf->sections[section].head.sh_size <= POINTER_BYTES)
    return false;
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section == section && !is_without_name(elf, &elf->symbols[i]))
      return true;
  return false;
}

/* Reverse the order of the pointers. `word` is the type of their relocations. False if a relocation has another type.
 */
static bool reverse_pointers(struct cn_section_part *rela, uint32_t word, uint64_t size)
{
  struct cn_bytes *bytes = cn_part_make_writable(rela);
  Elf64_Rela r;

  for (size_t at = 0; at + sizeof r <= bytes->count; at += sizeof r) {
    memcpy(&r, bytes->at + at, sizeof r);
    if (r.r_offset % POINTER_BYTES || r.r_offset >= size || ELF64_R_TYPE(r.r_info) != word)
      return false;
    r.r_offset = size - POINTER_BYTES - r.r_offset;
    memcpy(bytes->at + at, &r, sizeof r);
  }
  return true;
}

static const char *move_structor_table(struct cn_section_parts *parts, const struct cn_elf_file *elf, uint32_t index,
                                       struct cn_bytes *names)
{
  const struct cn_elf_section *section = &elf->sections[index];
  const struct structor_form *form = structor_form_of(section);
  uint32_t rela = cn_elf_find_rela_section(elf, section->relocations);
  struct cn_section_part *part = &parts->list.at[index];
  uint64_t size = section->data ? section->head.sh_size : 0;

  if (section->relocations != rela || elf->sections[rela].next_relocations)
    return "has relocations that are not in one table";
  if (size % POINTER_BYTES || part->is_fresh || (size && !is_section_zero(section)) || has_named_pointers(elf, index) ||
      (rela && !reverse_pointers(&parts->list.at[rela], elf->port->word, size)))
    return "is not a table of pointers to functions";
  char *name = new_rela_name_of(section, form);
  if (!name)
    return "has a name that ends in no priority";
  if (rela)
    parts->list.at[rela].head.sh_name = (uint32_t)names->count;
  part->head.sh_name = (uint32_t)(names->count + strlen(".rela"));
  part->head.sh_type = form->type;
  cn_bytes_append(names, name, strlen(name) + 1);
  free(name);
  return NULL;
}

int cn_structors_move_tables(struct cn_section_parts *parts, const struct cn_elf_file *elf, char **error)
{
  uint32_t table = cn_elf_section_name_table(elf);

  CN_CHECK(parts->list.count >= elf->section_count && table < elf->section_count);
  if (!cn_structors_are_in_old_tables(elf))
    return 0;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    if (!structor_form_of(&elf->sections[i]))
      continue;
    bool is_table = table == i || table == cn_elf_find_rela_section(elf, elf->sections[i].relocations);
    const char *why = is_table ? "is also another thing"
                               : move_structor_table(parts, elf, i, cn_part_make_writable(&parts->list.at[table]));
    if (why)
      return CN_FAIL(error, "section '%s' %s", elf->sections[i].name, why);
  }
  return 0;
}
