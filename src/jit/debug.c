/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the code of linked modules. A link reports functions and sections; with the module's object they make an ELF
 * file for debuggers: a copy of the object whose sections have their addresses. Debuggers resolve the relocations of
 * its debug information by these addresses, as they do for other relocatable files. The session's lock is held.
 */
#include "jit/debug.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/code.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"
#include "jit/module.h"
#include "object/elf/elf_file.h"

/* ---- parts ---- */

void cn_jit_debug_note_function(void *owner, const struct cn_link_function *function)
{
  struct cn_jit_module *module = owner;

  cn_push(&module->parts.functions, (struct cn_jit_part){cn_strdup(function->name), function->start, function->bytes});
}

void cn_jit_debug_note_section(void *owner, const struct cn_link_section *section)
{
  struct cn_jit_module *module = owner;
  size_t bytes = section->end - section->start;

  CN_CHECK(section->start <= section->end);
  cn_push(&module->parts.sections, (struct cn_jit_part){cn_strdup(section->name), section->start, bytes});
}

void cn_jit_debug_drop_parts(struct cn_jit_module *module)
{
  struct cn_jit_parts *parts = &module->parts;

  for (size_t i = 0; i < parts->functions.count; i++)
    free(parts->functions.at[i].name);
  for (size_t i = 0; i < parts->sections.count; i++)
    free(parts->sections.at[i].name);
  cn_free(&parts->functions);
  cn_free(&parts->sections);
}

/* ---- the file for debuggers ---- */

/* The address of an object's section whose name other sections have, too: that of a function in it. A managed function
 * and its body have one name and different sizes. */
static uintptr_t address_by_function(const struct cn_jit_parts *parts, const struct cn_elf_file *elf, uint32_t section)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *symbol = &elf->symbols[i];
    if (symbol->section != section || ELF64_ST_TYPE(symbol->sym.st_info) != STT_FUNC || !symbol->sym.st_size)
      continue;
    for (size_t k = 0; k < parts->functions.count; k++) {
      const struct cn_jit_part *function = &parts->functions.at[k];
      if (function->bytes == symbol->sym.st_size && strcmp(function->name, symbol->name) == 0)
        return function->start - symbol->sym.st_value;
    }
  }
  return 0;
}

/* The address of an object's section, or 0 if the link has dropped it. */
static uintptr_t address_of(const struct cn_jit_parts *parts, const struct cn_elf_file *elf, uint32_t section)
{
  const char *name = elf->sections[section].name;
  uint32_t first = cn_elf_find_section(elf, name, 1);

  if (first != section || cn_elf_find_section(elf, name, first + 1))
    return address_by_function(parts, elf, section);
  for (size_t i = 0; i < parts->sections.count; i++)
    if (strcmp(parts->sections.at[i].name, name) == 0)
      return parts->sections.at[i].start;
  return 0;
}

/* Give the sections of the file their addresses. Debuggers skip a section that lacks an address. */
static void place_sections(unsigned char *file, const struct cn_jit_parts *parts, const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->section_count; i++) {
    Elf64_Shdr *head = (Elf64_Shdr *)(file + elf->head.e_shoff) + i;
    if (!(head->sh_flags & SHF_ALLOC))
      continue;
    head->sh_addr = address_of(parts, elf, i);
    if (!head->sh_addr)
      head->sh_flags &= ~(Elf64_Xword)SHF_ALLOC;
  }
}

/* The file, which the caller frees; or null. */
static void *make_debug_file(const struct cn_jit_parts *parts, const void *object, size_t size)
{
  struct cn_elf_file elf;
  char *error = NULL;

  if (cn_elf_open_for_port(&elf, object, size, &error)) {
    free(error);
    return NULL;
  }
  unsigned char *file = cn_alloc(size);
  memcpy(file, object, size);
  place_sections(file, parts, &elf);
  cn_elf_close(&elf);
  return file;
}

/* ---- names ---- */

/* The name of a function in the source: Cairn renames a body that a loader may drop. */
static const char *source_name(const char *name)
{
  static const char prefix[] = CN_COPY_PREFIX;

  return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

void cn_jit_debug_name_code(struct cn_jit_module *module, const void *object, size_t size)
{
  CN_VECTOR(struct cairn_code_function) functions = {0};
  char *origin = cn_format("module %llu (%s)", (unsigned long long)module->number, module->title);
  void *file = cairn_code_is_debugged() ? make_debug_file(&module->parts, object, size) : NULL;

  CN_CHECK(!module->named);
  module->has_debug_file = file != NULL;
  for (size_t i = 0; i < module->parts.functions.count; i++) {
    const struct cn_jit_part *part = &module->parts.functions.at[i];
    if (part->bytes)
      cn_push(&functions, (struct cairn_code_function){part->start, part->bytes, source_name(part->name)});
  }
  const struct cairn_code_names names = {origin, functions.at, functions.count, file, file ? size : 0};
  cairn_code_name(&names, &module->named); /* code without names runs, too, if memory is exhausted */
  cn_free(&functions);
  free(file);
  free(origin);
  cn_jit_debug_drop_parts(module);
}
