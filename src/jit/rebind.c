/* SPDX-License-Identifier: Apache-2.0
 *
 * Rebinds symbols in a copy of a module's object, so that calls go to entries and bodies of functions directly. New
 * names are appended with a copy of the table of names; the rest of the object stays in place. The object was read
 * before (cn_jit_module_read_symbols()), so its tables are valid. Pure function.
 */
#include <elf.h>
#include <string.h>
#include "base/check.h"
#include "jit/module.h"

static Elf64_Shdr *sections_of(char *bytes)
{
  return (Elf64_Shdr *)(void *)(bytes + ((Elf64_Ehdr *)(void *)bytes)->e_shoff);
}

static Elf64_Shdr *find_symbol_table(char *bytes)
{
  Elf64_Shdr *section = sections_of(bytes);

  while (section->sh_type != SHT_SYMTAB)
    section++;
  return section;
}

/* Make the symbol undefined; its name stands at `name` in the table of names. */
static void undefine(Elf64_Sym *symbol, size_t name)
{
  *symbol = (Elf64_Sym){.st_name = (Elf64_Word)name, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)};
}

/* Make the symbol a second name of the module's definition. */
static void define_as(Elf64_Sym *symbol, const Elf64_Sym *definition)
{
  Elf64_Word name = symbol->st_name;

  *symbol = *definition;
  symbol->st_name = name;
  symbol->st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(definition->st_info));
  symbol->st_other = STV_HIDDEN;
}

/* Loaders skip the names of files. */
static void hide(Elf64_Sym *symbol)
{
  *symbol = (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FILE), .st_shndx = SHN_ABS};
}

void *cn_jit_module_rebind(const struct cn_jit_module *module, const struct cn_jit_rebinding *rebindings, size_t count,
                           size_t *size)
{
  size_t names_at = module->object_size, end = names_at;
  Elf64_Shdr *names = &sections_of(module->object)[find_symbol_table(module->object)->sh_link];

  end += names->sh_size;
  for (size_t i = 0; i < count; i++)
    end += rebindings[i].name ? strlen(rebindings[i].name) + 1 : 0;
  char *bytes = cn_alloc(end);
  memcpy(bytes, module->object, module->object_size);
  memcpy(bytes + names_at, bytes + names->sh_offset, names->sh_size);
  Elf64_Shdr *table = find_symbol_table(bytes);
  Elf64_Sym *symbols = (Elf64_Sym *)(void *)(bytes + table->sh_offset);
  for (size_t i = 0; i < module->unneeded.count; i++)
    hide(&symbols[module->unneeded.at[i]]);
  names = &sections_of(bytes)[table->sh_link];
  size_t used = names->sh_size;
  for (size_t i = 0; i < count; i++) {
    const struct cn_jit_rebinding *r = &rebindings[i];
    if (!r->name) {
      define_as(&symbols[r->index], &symbols[r->definition]);
      continue;
    }
    strcpy(bytes + names_at + used, r->name);
    undefine(&symbols[r->index], used);
    used += strlen(r->name) + 1;
  }
  names->sh_offset = names_at;
  names->sh_size = used;
  *size = end;
  return bytes;
}
