/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the symbols of a module's object: the exports, the imports and the images. Hidden and local symbols stay the
 * object's own. Any thread; the module is still its maker's.
 */
#include "jit/module.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/elf/elf_file.h"

static bool is_external(const struct cn_elf_symbol *s)
{
  unsigned bind = ELF64_ST_BIND(s->sym.st_info), visibility = ELF64_ST_VISIBILITY(s->sym.st_other);

  return bind != STB_LOCAL && *s->name && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

static void note_symbol(struct cn_jit_module *module, const struct cn_elf_symbol *s)
{
  struct cn_jit_symbol symbol = {.weak = ELF64_ST_BIND(s->sym.st_info) == STB_WEAK || s->sym.st_shndx == SHN_COMMON};

  if (s->sym.st_shndx == SHN_UNDEF ? ELF64_ST_BIND(s->sym.st_info) == STB_LOCAL || !*s->name : !is_external(s))
    return;
  symbol.name = cn_strdup(s->name);
  if (s->sym.st_shndx == SHN_UNDEF) {
    cn_push(&module->imports, symbol);
    return;
  }
  cn_push(&module->exports, symbol);
  if (strncmp(symbol.name, CN_JIT_IMAGE_PREFIX, sizeof CN_JIT_IMAGE_PREFIX - 1) == 0)
    cn_push(&module->image_names, symbol.name);
}

bool cn_jit_module_read_symbols(struct cn_jit_module *module, char **error)
{
  struct cn_elf_file elf;

  if (cn_elf_open_for_port(&elf, module->object, module->object_size, error))
    return false;
  for (uint32_t i = 1; i < elf.symbol_count; i++)
    note_symbol(module, &elf.symbols[i]);
  cn_elf_close(&elf);
  return true;
}

void cn_jit_module_free(struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->exports.count; i++)
    free(module->exports.at[i].name);
  for (size_t i = 0; i < module->imports.count; i++)
    free(module->imports.at[i].name);
  cn_free(&module->exports);
  cn_free(&module->imports);
  cn_free(&module->image_names);
  cn_free(&module->images);
  cn_free(&module->links);
  cn_jit_debug_drop_parts(module);
  free(module->object);
  free(module->title);
  free(module);
}
