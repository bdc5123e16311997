/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes debuggers and profilers name the body of a function `f` by `f`.
 *
 * Managed code calls the body of `f` by names such as `cairn.call.f`, whose address is a few bytes after `f`
 * (src/compile/transitions/entries.c). Tools map an address to the nearest function symbol before it, and would show
 * such a name. This file therefore clears the size and type of these symbols, and renames `cairn.local.f`, a local
 * symbol of the body, to `f`. A breakpoint on `f` then also stops in the body.
 *
 * Runs while an object is rewritten (rewrite_object.c), changes symbols of the new object, and holds no state.
 */
#include "object/build/rewrite_steps.h"

#include <cairn/abi.h>

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/vector.h"

#define CALL_PREFIX "cairn.call."
#define BODY_PREFIX "cairn.body."
#define LOCAL_PREFIX "cairn.local."

static bool has_prefix(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* True if only this image calls the body by the symbol's name. In other objects the name may belong to a thunk, which
 * is a weak function. The name for other images keeps its function type, because linkers warn of exported symbols
 * without type and size. */
static bool is_hidden_name(const struct cn_elf_symbol *s)
{
  return ELF64_ST_BIND(s->sym.st_info) != STB_WEAK &&
         (has_prefix(s->name, CALL_PREFIX) || has_prefix(s->name, BODY_PREFIX));
}

typedef CN_VECTOR(const struct cn_elf_symbol *) symbol_vector;

static int by_section_and_address(const void *a, const void *b)
{
  const struct cn_elf_symbol *x = *(const struct cn_elf_symbol *const *)a;
  const struct cn_elf_symbol *y = *(const struct cn_elf_symbol *const *)b;

  if (x->section != y->section)
    return x->section < y->section ? -1 : 1;
  if (x->sym.st_value != y->sym.st_value)
    return x->sym.st_value < y->sym.st_value ? -1 : 1;
  return strcmp(x->name, y->name);
}

static symbol_vector sorted_functions_of(const struct cn_elf_file *elf)
{
  symbol_vector functions = {0};

  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section && ELF64_ST_TYPE(elf->symbols[i].sym.st_info) == STT_FUNC)
      cn_push(&functions, &elf->symbols[i]);
  if (functions.count)
    qsort(functions.at, functions.count, sizeof *functions.at, by_section_and_address);
  return functions;
}

static const struct cn_elf_symbol *function_of_body(const symbol_vector *functions, uint32_t entry_size,
                                                    const struct cn_elf_symbol *local)
{
  struct cn_elf_symbol key = {.name = local->name + sizeof LOCAL_PREFIX - 1,
                              .section = local->section,
                              .sym.st_value = local->sym.st_value - entry_size};
  CN_ASSERT(has_prefix(local->name, LOCAL_PREFIX));
  const struct cn_elf_symbol *at = &key;
  const struct cn_elf_symbol **found = bsearch(&at, functions->at, functions->count, sizeof at, by_section_and_address);

  return found && (*found)->sym.st_size > entry_size ? *found : NULL;
}

/* Change the symbol for tools. True if the symbol changes. */
static bool rewrite_body_symbol(const symbol_vector *functions, uint32_t entry_size, const struct cn_elf_symbol *s,
                                Elf64_Sym *sym)
{
  unsigned bind = ELF64_ST_BIND(s->sym.st_info);

  if (!s->section || ELF64_ST_TYPE(s->sym.st_info) != STT_FUNC)
    return false;
  if (is_hidden_name(s)) {
    sym->st_info = (unsigned char)ELF64_ST_INFO(bind, STT_NOTYPE);
    sym->st_size = 0;
    return true;
  }
  const struct cn_elf_symbol *of =
      bind == STB_LOCAL && has_prefix(s->name, LOCAL_PREFIX) ? function_of_body(functions, entry_size, s) : NULL;
  if (of == NULL)
    return false;
  CN_ASSERT(of->section == s->section && of->sym.st_value < s->sym.st_value);
  sym->st_name = of->sym.st_name;
  sym->st_size = of->sym.st_size - entry_size;
  return true;
}

void cn_body_names_hide(struct cn_section_parts *parts, const struct cn_elf_file *elf)
{
  symbol_vector functions = sorted_functions_of(elf);

  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    Elf64_Sym sym = elf->symbols[i].sym;
    if (!rewrite_body_symbol(&functions, elf->port->entry_size, &elf->symbols[i], &sym))
      continue;
    struct cn_bytes *symbols = cn_part_make_writable(&parts->list.at[elf->symtab]);
    CN_CHECK((i + UINT64_C(1)) * sizeof sym <= symbols->count);
    memcpy(symbols->at + i * sizeof sym, &sym, sizeof sym);
  }
  cn_free(&functions);
}
