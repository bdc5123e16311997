/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the symbols of a module's object: the exports, the imports and the images. Hidden and local symbols stay the
 * object's own. Any thread; the module is still its maker's.
 */
#include "jit/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"
#include "object/elf/elf_file.h"

static bool is_external(const struct cn_elf_symbol *s)
{
  unsigned bind = ELF64_ST_BIND(s->sym.st_info), visibility = ELF64_ST_VISIBILITY(s->sym.st_other);

  return bind != STB_LOCAL && *s->name && visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

/* A thunk for calls of a function that the module imports; the definition of a function has strong names. */
static bool is_call_thunk(const struct cn_elf_symbol *s)
{
  return s->sym.st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->sym.st_info) == STB_WEAK &&
         ELF64_ST_VISIBILITY(s->sym.st_other) == STV_HIDDEN &&
         (strncmp(s->name, CN_BODY_PREFIX, sizeof CN_BODY_PREFIX - 1) == 0 ||
          strncmp(s->name, CN_CALL_PREFIX, sizeof CN_CALL_PREFIX - 1) == 0);
}

static void note_symbol(struct cn_jit_module *module, const struct cn_elf_symbol *s, uint32_t index,
                        const uint32_t *twins)
{
  struct cn_jit_symbol symbol = {.index = index,
                                 .weak = ELF64_ST_BIND(s->sym.st_info) == STB_WEAK || s->sym.st_shndx == SHN_COMMON};

  if (is_call_thunk(s)) {
    symbol.name = cn_strdup(s->name);
    symbol.twin = twins[s->section];
    cn_push(&module->thunks, symbol);
    return;
  }
  if (s->sym.st_shndx == SHN_UNDEF ? ELF64_ST_BIND(s->sym.st_info) == STB_LOCAL || !*s->name : !is_external(s))
    return;
  symbol.name = cn_strdup(s->name);
  if (s->sym.st_shndx == SHN_UNDEF) {
    cn_push(&module->imports, symbol);
    return;
  }
  cn_push(&module->exports, symbol);
}

/* By section: the local symbol without a name of the function at the section's start, or 0. The rewritten object's
 * calls use such symbols. The caller frees the array. */
static uint32_t *find_twins(const struct cn_elf_file *elf)
{
  uint32_t *twins = cn_alloc((elf->section_count + 1) * sizeof *twins);

  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    if (s->sym.st_info == ELF64_ST_INFO(STB_LOCAL, STT_FUNC) && !*s->name && !s->sym.st_value)
      twins[s->section] = i;
  }
  return twins;
}

/* ---- symbols that a link can do without ---- */

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct cn_jit_symbol *)a)->name, ((const struct cn_jit_symbol *)b)->name);
}

struct cn_jit_symbol *cn_jit_module_find_export(const struct cn_jit_module *module, const char *name)
{
  const struct cn_jit_symbol key = {.name = (char *)name};

  return bsearch(&key, module->exports.at, module->exports.count, sizeof key, by_name);
}

/* The function whose body the export is, or null. */
static struct cn_jit_symbol *function_of_body(const struct cn_jit_module *module, const struct cn_elf_file *elf,
                                              const struct cn_jit_symbol *body)
{
  static const char prefix[] = CN_CODE_PREFIX;
  struct cn_jit_symbol *function = strncmp(body->name, prefix, sizeof prefix - 1) == 0
                                       ? cn_jit_module_find_export(module, body->name + sizeof prefix - 1)
                                       : NULL;

  if (!function)
    return NULL;
  const struct cn_elf_symbol *its = &elf->symbols[body->index], *whole = &elf->symbols[function->index];
  return its->section == whole->section && its->sym.st_value == whole->sym.st_value + CAIRN_ABI_ENTRY_SIZE ? function
                                                                                                           : NULL;
}

/* The address of a function gives that of its body, so the body's own export goes. */
static void fold_bodies(struct cn_jit_module *module, const struct cn_elf_file *elf, const bool *used)
{
  size_t kept = 0;

  if (module->exports.count)
    qsort(module->exports.at, module->exports.count, sizeof *module->exports.at, by_name);
  for (size_t i = 0; i < module->exports.count; i++) {
    struct cn_jit_symbol *body = &module->exports.at[i], *function = function_of_body(module, elf, body);
    if (!function)
      continue;
    if (!used[body->index])
      cn_push(&module->unneeded, body->index);
    function->body = body->index;
    body->index = 0;
  }
  for (size_t i = 0; i < module->exports.count; i++)
    if (module->exports.at[i].index)
      module->exports.at[kept++] = module->exports.at[i];
    else
      free(module->exports.at[i].name);
  module->exports.count = kept;
}

/* A local symbol names a function for debuggers, unless an exported function of this name has the same code. */
static bool names_code(const struct cn_jit_module *module, const struct cn_elf_file *elf,
                       const struct cn_elf_symbol *local)
{
  const struct cn_jit_symbol *export = *local->name ? cn_jit_module_find_export(module, local->name) : NULL;

  if (ELF64_ST_TYPE(local->sym.st_info) != STT_FUNC || !*local->name || !local->sym.st_size)
    return false;
  if (!export)
    return true;
  const struct cn_elf_symbol *whole = &elf->symbols[export->index];
  return local->section != whole->section || local->sym.st_value < whole->sym.st_value ||
         local->sym.st_value + local->sym.st_size > whole->sym.st_value + whole->sym.st_size;
}

static void find_unneeded_locals(struct cn_jit_module *module, const struct cn_elf_file *elf, const bool *used)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    if (s->section && !used[i] && ELF64_ST_BIND(s->sym.st_info) == STB_LOCAL && !names_code(module, elf, s))
      cn_push(&module->unneeded, i);
  }
}

bool cn_jit_module_read_symbols(struct cn_jit_module *module, char **error)
{
  struct cn_elf_file elf;

  if (cn_elf_open_for_port(&elf, module->object, module->object_size, error))
    return false;
  uint32_t *twins = find_twins(&elf);
  for (uint32_t i = 1; i < elf.symbol_count; i++)
    note_symbol(module, &elf.symbols[i], i, twins);
  free(twins);
  bool *used = cn_elf_find_used_symbols(&elf);
  fold_bodies(module, &elf, used);
  find_unneeded_locals(module, &elf, used);
  free(used);
  cn_elf_close(&elf);
  return true;
}

/* ---- numbers of images ---- */

enum { IMAGE_PREFIX_BYTES = sizeof CN_JIT_IMAGE_PREFIX - 1, IMAGE_DIGITS = 16 };

static bool is_image_name(const char *name)
{
  return strncmp(name, CN_JIT_IMAGE_PREFIX, IMAGE_PREFIX_BYTES) == 0 &&
         strspn(name + IMAGE_PREFIX_BYTES, "0123456789abcdef") == IMAGE_DIGITS;
}

/* True if no other name lies in the image's name: a table of names may store a name as the end of another one. */
static bool is_alone(const struct cn_elf_file *elf, const char *image)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const char *name = elf->symbols[i].name;
    if (name > image && name < image + IMAGE_PREFIX_BYTES + IMAGE_DIGITS)
      return false;
  }
  return true;
}

bool cn_jit_module_renumber(void *object, size_t size, uint64_t number)
{
  char digits[IMAGE_DIGITS + 1], *error = NULL;
  struct cn_elf_file elf;
  bool ok = true;

  if (cn_elf_open_for_port(&elf, object, size, &error)) {
    free(error);
    return false;
  }
  snprintf(digits, sizeof digits, CN_JIT_IMAGE_NUMBER, (unsigned long long)number);
  for (uint32_t i = 1; ok && i < elf.symbol_count; i++) {
    const char *name = elf.symbols[i].name;
    if (!is_image_name(name))
      continue;
    ok = is_alone(&elf, name) && (const unsigned char *)name >= elf.bytes &&
         (const unsigned char *)name < elf.bytes + size;
    if (ok)
      memcpy((char *)object + (name - (const char *)elf.bytes) + IMAGE_PREFIX_BYTES, digits, IMAGE_DIGITS);
  }
  cn_elf_close(&elf);
  return ok;
}

static void free_symbols(struct cn_jit_symbol *symbols, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    free(symbols[i].name);
    free(symbols[i].signature);
  }
  free(symbols);
}

void cn_jit_module_free(struct cn_jit_module *module)
{
  free_symbols(module->exports.at, module->exports.count);
  free_symbols(module->imports.at, module->imports.count);
  free_symbols(module->thunks.at, module->thunks.count);
  cn_free(&module->unneeded);
  cn_free(&module->images);
  cn_free(&module->links);
  cn_jit_sites_drop(module);
  cn_free(&module->entry_links);
  cn_free(&module->entries);
  cn_jit_debug_drop_parts(module);
  free(module->object);
  free(module->title);
  free(module);
}
