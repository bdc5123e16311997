/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the names that managed code uses to call managed functions of other units. The linker's options --wrap=f and
 * --defsym=f=g change references to `f`, but not to names such as `cairn.call.f`, so the linker gets a copy of the
 * object with changed names. A tool such as objcopy may change only `f`; Cairn refuses an object with such
 * contradictory names. The change runs in the driver before the link, the check while an object is rewritten; the old
 * object stays unchanged. Holds no state.
 */
#include "object/build/rewrite_steps.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

/* Prefixes of the names for calls of `f`, which are thunks or the body of `f`. The last prefix is for the body, for
 * other images. */
static const char *const call_name_prefixes[] = {"cairn.call.", "cairn.vcall.", "cairn.body.", "cairn.vbody.",
                                                 "cairn.managed_code."};
enum { PREFIX_CALL, PREFIX_VCALL, PREFIX_BODY, PREFIX_VBODY, PREFIX_MANAGED_CODE, PREFIX_COUNT };

/* The function's name in the symbol name `name`, and the index of the prefix. Null for other symbols. */
static const char *function_name_in(const char *name, unsigned *which)
{
  for (*which = 0; *which < PREFIX_COUNT; ++*which) {
    size_t length = strlen(call_name_prefixes[*which]);
    if (strncmp(name, call_name_prefixes[*which], length) == 0)
      return name + length;
  }
  return NULL;
}

/* ---- symbols by name ---- */

struct symbol_index {
  const struct cn_elf_symbol **at; /* the symbols with names, sorted by name */
  size_t count;
};

static int by_name(const void *x, const void *y)
{
  const struct cn_elf_symbol *const *a = x, *const *b = y;

  return strcmp((*a)->name, (*b)->name);
}

static int compare_name(const void *name, const void *symbol)
{
  return strcmp(name, (*(const struct cn_elf_symbol *const *)symbol)->name);
}

static struct symbol_index index_symbols(const struct cn_elf_file *elf)
{
  struct symbol_index index = {cn_alloc((elf->symbol_count + 1) * sizeof *index.at), 0};

  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].name[0] && ELF64_ST_BIND(elf->symbols[i].sym.st_info) != STB_LOCAL)
      index.at[index.count++] = &elf->symbols[i];
  qsort(index.at, index.count, sizeof *index.at, by_name);
  return index;
}

static const struct cn_elf_symbol *find_symbol(const struct symbol_index *index, const char *name)
{
  const struct cn_elf_symbol **found = bsearch(name, index->at, index->count, sizeof *index->at, compare_name);

  return found ? *found : NULL;
}

static bool is_symbol_defined(const struct symbol_index *index, const char *name)
{
  const struct cn_elf_symbol *symbol = find_symbol(index, name);

  return symbol && symbol->sym.st_shndx != SHN_UNDEF;
}

/* ---- changes by tools ---- */

/* True if the symbol agrees with its function. A thunk refers to the function. A thunk of the body has only an unused
 * reference to the function, which strip removes. */
static bool agrees_with_function(const struct symbol_index *index, const struct cn_elf_symbol *symbol, unsigned which,
                                 const char *function)
{
  const struct cn_elf_symbol *its = find_symbol(index, function);
  unsigned char bind = ELF64_ST_BIND(symbol->sym.st_info);
  bool is_thunk = bind == STB_WEAK && ELF64_ST_TYPE(symbol->sym.st_info) == STT_FUNC;

  if (symbol->sym.st_shndx == SHN_UNDEF)
    return true;
  if (is_thunk && which != PREFIX_MANAGED_CODE)
    return its || which == PREFIX_BODY || which == PREFIX_VBODY;
  if (!its || its->section != symbol->section)
    return false;
  return which == PREFIX_MANAGED_CODE || /* PREFIX_MANAGED_CODE is weak; a weak function lacks the other names */
         (bind == STB_GLOBAL && ELF64_ST_BIND(its->sym.st_info) == STB_GLOBAL);
}

int cn_thunk_names_check(const struct cn_elf_file *elf, char **error)
{
  struct symbol_index index = index_symbols(elf);
  const struct cn_elf_symbol *wrong = NULL;
  const char *function = NULL;

  for (size_t i = 0; i < index.count && !wrong; i++) {
    unsigned which;
    function = function_name_in(index.at[i]->name, &which);
    if (function && !agrees_with_function(&index, index.at[i], which, function))
      wrong = index.at[i];
  }
  free(index.at);
  return wrong ? CN_FAIL(error,
                         "a tool has renamed '%s', or made it weak or local, and '%s' does not "
                         "agree with it: change the source, or use -Wl,--wrap or -Wl,--defsym",
                         function, wrong->name)
               : 0;
}

/* ---- other names ---- */

/* The change of names: for each symbol, its new name (owned) or null, and the symbol that replaces it in references, or
 * 0. */
struct name_change {
  const struct cn_elf_file *elf;
  char **names;
  uint32_t *instead;
  bool any, redirects;
};

/* The rename of the function that managed code calls by symbol `name`, or null. */
static const struct cn_function_rename *rename_of_symbol(const struct symbol_index *index, const char *name,
                                                         const struct cn_renames *renames, unsigned *which)
{
  const char *function = function_name_in(name, which);

  for (size_t i = 0; function && i < renames->list.count; i++)
    if (strcmp(function, renames->list.at[i].from) == 0 && !is_symbol_defined(index, function))
      return &renames->list.at[i];
  return NULL;
}

static int refuse_expression_targets(const struct symbol_index *index, const struct cn_renames *renames, char **error)
{
  unsigned which;

  for (size_t i = 0; i < index->count; i++) {
    const struct cn_function_rename *rename = rename_of_symbol(index, index->at[i]->name, renames, &which);
    if (rename && !rename->to)
      return CN_FAIL(error,
                     "managed code calls '%s', which --defsym or a linker script sets to an "
                     "expression: set it to the name of a function",
                     rename->from);
  }
  return 0;
}

static char *make_new_name(const struct symbol_index *index, const char *name, const struct cn_renames *renames)
{
  unsigned which;
  const struct cn_function_rename *rename = rename_of_symbol(index, name, renames, &which);

  return rename && rename->to ? cn_format("%s%s", call_name_prefixes[which], rename->to) : NULL;
}

/* The symbol that finally has this name: a symbol that keeps the name, or the first symbol that gets it. */
static uint32_t find_symbol_with_new_name(const struct name_change *change, const struct symbol_index *index,
                                          const char *name)
{
  const struct cn_elf_symbol *old = find_symbol(index, name);
  uint32_t i = old ? (uint32_t)(old - change->elf->symbols) : 0;

  if (i && !change->names[i])
    return i;
  i = 1;
  while (i < change->elf->symbol_count && (!change->names[i] || strcmp(change->names[i], name) != 0))
    i++;
  CN_CHECK(i < change->elf->symbol_count); /* choose_new_names() has chosen the name */
  return i;
}

/* Choose the new names. A unit that calls `f` may also refer to `__wrap_f`, but an object has only one symbol of each
 * name. The second symbol therefore gets an unused name. */
static void choose_new_names(struct name_change *change, const struct symbol_index *index,
                             const struct cn_renames *renames)
{
  for (size_t i = 0; i < index->count; i++) {
    uint32_t at = (uint32_t)(index->at[i] - change->elf->symbols);
    CN_CHECK(at != 0 && at < change->elf->symbol_count && !change->names[at]);
    change->names[at] = make_new_name(index, index->at[i]->name, renames);
    change->any = change->any || change->names[at];
  }
  for (uint32_t i = 1; i < change->elf->symbol_count; i++) {
    uint32_t instead = change->names[i] ? find_symbol_with_new_name(change, index, change->names[i]) : i;
    if (instead != i)
      change->instead[i] = instead;
    change->redirects = change->redirects || instead != i;
  }
  for (uint32_t i = 1; i < change->elf->symbol_count; i++)
    if (change->instead[i]) {
      free(change->names[i]);
      change->names[i] = cn_format("cairn.unused.%s", change->elf->symbols[i].name);
    }
}

static void rename_symbols(const struct name_change *change, struct cn_section_parts *parts)
{
  const struct cn_elf_file *elf = change->elf;

  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    Elf64_Sym sym = elf->symbols[i].sym;
    if (!change->names[i])
      continue;
    sym.st_name = cn_part_add_string(&parts->list.at[elf->sections[elf->symtab].head.sh_link], change->names[i]);
    struct cn_bytes *symbols = cn_part_make_writable(&parts->list.at[elf->symtab]);
    CN_CHECK((i + UINT64_C(1)) * sizeof sym <= symbols->count);
    memcpy(symbols->at + i * sizeof sym, &sym, sizeof sym);
  }
}

static void redirect_relocations(const struct name_change *change, struct cn_bytes *relocations)
{
  Elf64_Rela r;

  for (uint64_t at = 0; at + sizeof r <= relocations->count; at += sizeof r) {
    memcpy(&r, relocations->at + at, sizeof r);
    uint64_t symbol = ELF64_R_SYM(r.r_info);
    if (symbol >= change->elf->symbol_count || !change->instead[symbol])
      continue;
    CN_CHECK(change->instead[symbol] < change->elf->symbol_count);
    r.r_info = ELF64_R_INFO((uint64_t)change->instead[symbol], ELF64_R_TYPE(r.r_info));
    memcpy(relocations->at + at, &r, sizeof r);
  }
}

static int redirect_all_relocations(const struct name_change *change, struct cn_section_parts *parts, char **error)
{
  for (uint32_t i = 1; change->redirects && i < change->elf->section_count; i++) {
    const struct cn_elf_section *section = &change->elf->sections[i];
    if (section->head.sh_type == SHT_REL || cn_elf_is_packed_relocations(section))
      return CN_FAIL(error,
                     "section '%s': -Wl,--wrap or -Wl,--defsym changes calls, and its relocations "
                     "have a form that does not allow that: assemble without --crel",
                     section->name);
    if (section->head.sh_type == SHT_RELA)
      redirect_relocations(change, cn_part_make_writable(&parts->list.at[i]));
  }
  return 0;
}

static void free_name_change(struct name_change *change)
{
  for (uint32_t i = 0; i < change->elf->symbol_count; i++)
    free(change->names[i]);
  free(change->names);
  free(change->instead);
}

enum cairn_status cn_thunk_names_change(const void *bytes, size_t size, const struct cn_renames *renames, void **out,
                                        size_t *out_size, char **error)
{
  struct cn_section_parts parts = {0};
  struct cn_elf_file elf;

  *out = NULL;
  *out_size = 0;
  if (cn_elf_open_for_port(&elf, bytes, size, error))
    return CAIRN_E_ELF;
  struct symbol_index index = index_symbols(&elf);
  struct name_change change = {&elf, cn_alloc((elf.symbol_count + 1) * sizeof *change.names),
                               cn_alloc((elf.symbol_count + 1) * sizeof *change.instead), false, false};
  choose_new_names(&change, &index, renames);
  cn_parts_copy_sections(&parts, &elf, bytes);
  int status = refuse_expression_targets(&index, renames, error);
  if (!status)
    status = redirect_all_relocations(&change, &parts, error);
  if (!status && change.any) {
    rename_symbols(&change, &parts);
    struct cn_bytes file = cn_parts_build_file(&parts, &elf.head);
    *out = file.at;
    *out_size = file.count;
  }
  free_name_change(&change);
  cn_parts_free(&parts);
  free(index.at);
  cn_elf_close(&elf);
  return status ? CAIRN_E_REFUSED : CAIRN_OK;
}

const char *cn_thunk_names_find_defined(const void *bytes, size_t size, const struct cn_renames *renames)
{
  const char *found = NULL;
  char *error = NULL;
  struct cn_elf_file elf;

  if (cn_elf_open_for_port(&elf, bytes, size, &error)) {
    free(error);
    return NULL;
  }
  struct symbol_index index = index_symbols(&elf);
  for (size_t i = 0; i < renames->list.count && !found; i++)
    if (is_symbol_defined(&index, renames->list.at[i].from))
      found = renames->list.at[i].from;
  free(index.at);
  cn_elf_close(&elf);
  return found;
}
