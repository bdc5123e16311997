/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the part of a linker's work that loaders of objects in memory omit: it binds __start_SECTION and __stop_SECTION
 * to the object's own sections, and resolves the thread-local mutator.
 *
 * The bounds become local symbols. Each of several objects in one process thus has separate bounds, and a loader that
 * drops unused sections keeps the sections that the registered image refers to. Local symbols must precede global ones,
 * so this file writes a new symbol table at the end of the file and renumbers symbols.
 *
 * The loader must be JITLink. RuntimeDyld binds relocations to local symbols by name, but the new symbols are nameless;
 * it also gives address 0 to a function that shares its name with a local symbol. Relocations that this file has
 * applied therefore refer to an undefined weak symbol: JITLink ignores these relocations, and RuntimeDyld reports that
 * the symbol is missing.
 *
 * Labels that no relocation refers to would cost loaders a fifth of their time: they become symbols of files, which
 * loaders skip.
 *
 * Runs after an object for a loader in memory is rewritten. The caller's object stays unchanged, and the caller owns
 * the new file. Holds no state. Errors are returned as text.
 */
#include "object/elf/elf_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "object/elf/elf_file.h"

/* A section type that <elf.h> of glibc 2.36 lacks: a list of symbols by number, for linkers that fold code. */
enum { SECTION_TYPE_ADDRSIG = 0x6fff4c03 };

/* The name in RuntimeDyld's message, which tells the user to use JITLink. */
static const char jitlink_hint_symbol[] = "cairn_module_that_must_be_linked_by_JITLink";

struct symbol_binder {
  struct cn_elf_file elf;
  unsigned char *file;     /* the new object */
  size_t size, names_size; /* size of the old names */
  uint32_t first;          /* number of the first global or weak symbol */
  uint32_t *bound;         /* for each symbol, its local copy, or 0 */
  bool *used;              /* for each symbol: a relocation or a group refers to it */
  CN_VECTOR(Elf64_Sym) fresh;
  ptrdiff_t mutator;
  char **error;
};

static uint32_t name_table_of(const struct symbol_binder *b)
{
  return b->elf.sections[b->elf.symtab].head.sh_link;
}

/* The size of the new table, with the old symbols, the local copies and the symbol for RuntimeDyld. */
static size_t new_symbol_table_bytes(const struct symbol_binder *b)
{
  return (b->elf.symbol_count + b->fresh.count + 1) * sizeof(Elf64_Sym);
}

static void write_section_header(struct symbol_binder *b, uint32_t section, const Elf64_Shdr *head)
{
  memcpy(b->file + b->elf.head.e_shoff + section * sizeof *head, head, sizeof *head);
}

static void add_local_copy(struct symbol_binder *b, uint32_t index, Elf64_Sym sym)
{
  CN_CHECK(index >= b->first && index < b->elf.symbol_count && !b->bound[index]);
  sym.st_name = 0;
  sym.st_other = STV_DEFAULT;
  sym.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(sym.st_info));
  cn_push(&b->fresh, sym);
  b->bound[index] = b->first + (uint32_t)b->fresh.count - 1;
}

/* Give a local copy to a symbol that is a bound of one of the object's sections, and to each of Cairn's symbols,
 * because an object in memory uses its own copies. A symbol that the object does not use needs none. */
static int bind_to_local_copy(struct symbol_binder *b, uint32_t index)
{
  static const char start[] = "__start_", stop[] = "__stop_", own[] = "cairn.";
  const struct cn_elf_symbol *s = &b->elf.symbols[index];

  if (!b->used[index])
    return 0;
  bool starts = strncmp(s->name, start, sizeof start - 1) == 0;
  bool stops = strncmp(s->name, stop, sizeof stop - 1) == 0;

  if (s->section && strncmp(s->name, own, sizeof own - 1) == 0)
    add_local_copy(b, index, s->sym);
  if (s->section || s->sym.st_shndx != SHN_UNDEF || (!starts && !stops))
    return 0;
  const char *name = s->name + (starts ? sizeof start : sizeof stop) - 1;
  uint32_t section = cn_elf_find_section(&b->elf, name, 0);
  if (!section)
    return 0;
  if (cn_elf_find_section(&b->elf, name, section + 1))
    return CN_FAIL(b->error, "there are several sections '%s', which only a linker can join", name);
  if (section >= SHN_LORESERVE)
    return CN_FAIL(b->error, "too many sections");
  add_local_copy(
      b, index,
      (Elf64_Sym){.st_shndx = (Elf64_Section)section, .st_value = starts ? 0 : b->elf.sections[section].head.sh_size});
  return 0;
}

static uint32_t new_symbol_number_of(const struct symbol_binder *b, uint32_t symbol)
{
  CN_ASSERT(b->first <= b->elf.symbol_count);
  return symbol < b->first ? symbol : symbol + (uint32_t)b->fresh.count;
}

/* A relocation without effect, whose symbol is the last symbol of the new table. */
static Elf64_Rela make_none_relocation(const struct symbol_binder *b)
{
  uint64_t last = b->elf.symbol_count + b->fresh.count;

  return (Elf64_Rela){.r_info = ELF64_R_INFO(last, b->elf.port->none)};
}

static bool is_section_bound_name(const char *name)
{
  return strncmp(name, "__start_", 8) == 0 || strncmp(name, "__stop_", 7) == 0;
}

/* Resolve a bound of a missing section to null, in a word of data, so that loaders skip the relocation. */
static void clear_missing_bound(const struct symbol_binder *b, uint32_t target, uint32_t symbol, Elf64_Rela *r)
{
  const struct cn_elf_symbol *s = &b->elf.symbols[symbol];
  const struct cn_elf_section *section = &b->elf.sections[target];

  if (b->bound[symbol] || s->sym.st_shndx != SHN_UNDEF || !is_section_bound_name(s->name) ||
      ELF64_ST_BIND(s->sym.st_info) != STB_WEAK || ELF64_R_TYPE(r->r_info) != b->elf.port->word || !section->data ||
      section->head.sh_size < 8 || r->r_offset > section->head.sh_size - 8)
    return;
  memset(b->file + section->head.sh_offset + r->r_offset, 0, 8);
  *r = make_none_relocation(b);
}

static int bind_mutator_offset(const struct symbol_binder *b, uint32_t target, Elf64_Rela *r)
{
  const struct cn_elf_section *section = &b->elf.sections[target];
  uint64_t room = section->data && r->r_offset <= section->head.sh_size ? section->head.sh_size - r->r_offset : 0;
  unsigned char *at = room ? b->file + section->head.sh_offset + r->r_offset : NULL;
  const char *why =
      b->elf.port->store_thread_offset(at, room, (uint32_t)ELF64_R_TYPE(r->r_info), b->mutator + r->r_addend);

  if (why)
    return CN_FAIL(b->error, "section '%s', offset 0x%" PRIx64 ": %s", section->name, r->r_offset, why);
  *r = make_none_relocation(b);
  return 0;
}

static int bind_relocation_section(struct symbol_binder *b, uint32_t section)
{
  const struct cn_elf_section *s = &b->elf.sections[section];

  if (s->head.sh_link != b->elf.symtab || s->head.sh_info >= b->elf.section_count)
    return CN_FAIL(b->error, "section '%s': malformed", s->name);
  for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= s->head.sh_size; at += sizeof(Elf64_Rela)) {
    Elf64_Rela r;
    unsigned char *place = b->file + s->head.sh_offset + at;
    memcpy(&r, place, sizeof r);
    uint32_t symbol = (uint32_t)ELF64_R_SYM(r.r_info);
    if (symbol >= b->elf.symbol_count)
      return CN_FAIL(b->error, "section '%s': relocation against no symbol", s->name);
    uint32_t new = b->bound[symbol] ? b->bound[symbol] : new_symbol_number_of(b, symbol);
    r.r_info = ELF64_R_INFO((uint64_t)new, ELF64_R_TYPE(r.r_info));
    if (strcmp(b->elf.symbols[symbol].name, "cairn_mutator") == 0 && bind_mutator_offset(b, s->head.sh_info, &r))
      return -1;
    clear_missing_bound(b, s->head.sh_info, symbol, &r);
    memcpy(place, &r, sizeof r);
  }
  return 0;
}

/* Renumber symbols in all sections that refer to symbols by number. */
static int renumber_symbols(struct symbol_binder *b)
{
  for (uint32_t i = 1; i < b->elf.section_count; i++) {
    Elf64_Shdr head = b->elf.sections[i].head;
    switch (head.sh_type) {
    case SHT_RELA:
      if (bind_relocation_section(b, i))
        return -1;
      break;
    case SHT_REL:
    case SHT_SYMTAB_SHNDX:
      return CN_FAIL(b->error, "section '%s' is of a kind that no compiler makes for %s objects",
                     b->elf.sections[i].name, b->elf.port->frames->name);
    case SHT_GROUP:
      head.sh_info = new_symbol_number_of(b, head.sh_info);
      break;
    case SECTION_TYPE_ADDRSIG:
      head.sh_type = SHT_NULL;
      break;
    case SHT_SYMTAB:
      if (i != b->elf.symtab)
        return CN_FAIL(b->error, "more than one symbol table");
      head.sh_info += (uint32_t)b->fresh.count;
      head.sh_offset = b->size;
      head.sh_size = new_symbol_table_bytes(b);
      break;
    case SHT_STRTAB:
      if (i != name_table_of(b))
        break;
      head.sh_offset = b->size + new_symbol_table_bytes(b);
      head.sh_size += sizeof jitlink_hint_symbol;
      break;
    default:
      break;
    }
    b->elf.sections[i].head = head;
  }
  /* Write the headers last, because relocations of a damaged file may overlap the headers. */
  for (uint32_t i = 1; i < b->elf.section_count; i++)
    write_section_header(b, i, &b->elf.sections[i].head);
  return 0;
}

/* Hide labels from the loader, in the new table. */
static void hide_unused_labels(struct symbol_binder *b)
{
  static const Elf64_Sym hidden = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FILE), .st_shndx = SHN_ABS};

  for (uint32_t i = 1; i < b->first; i++)
    if (!b->used[i] && ELF64_ST_TYPE(b->elf.symbols[i].sym.st_info) == STT_NOTYPE)
      memcpy(b->file + b->size + i * sizeof hidden, &hidden, sizeof hidden);
}

static void write_symbol_table(struct symbol_binder *b)
{
  const struct cn_elf_section *old = &b->elf.sections[b->elf.symtab];
  const struct cn_elf_section *names = &b->elf.sections[name_table_of(b)];
  Elf64_Sym loader = {.st_name = (Elf64_Word)b->names_size, .st_info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE)};
  size_t local = b->first * sizeof(Elf64_Sym), fresh = b->fresh.count * sizeof(Elf64_Sym);
  size_t all = b->elf.symbol_count * sizeof(Elf64_Sym);
  unsigned char *to = b->file + b->size;

  CN_CHECK(old->data && local <= all);
  memcpy(to, old->data, local);
  hide_unused_labels(b);
  if (fresh)
    memcpy(to + local, b->fresh.at, fresh);
  memcpy(to + local + fresh, old->data + local, all - local);
  memcpy(to + fresh + all, &loader, sizeof loader);
  to += new_symbol_table_bytes(b);
  memcpy(to, names->data, b->names_size);
  memcpy(to + b->names_size, jitlink_hint_symbol, sizeof jitlink_hint_symbol);
  b->size += new_symbol_table_bytes(b) + b->names_size + sizeof jitlink_hint_symbol;
}

static int bind_object_symbols(struct symbol_binder *b)
{
  const struct cn_elf_file *elf = &b->elf;

  if (elf->head.e_type != ET_REL || !elf->symtab)
    return CN_FAIL(b->error, "not a relocatable object with symbols");
  b->first = elf->sections[elf->symtab].head.sh_info;
  if (b->first > elf->symbol_count)
    return CN_FAIL(b->error, "malformed symbol table");
  const struct cn_elf_section *names = &elf->sections[name_table_of(b)];
  b->names_size = names->data ? names->head.sh_size : 0;
  if (names->head.sh_type != SHT_STRTAB || b->names_size == 0 || b->names_size > UINT32_MAX)
    return CN_FAIL(b->error, "malformed symbol table");
  b->bound = cn_alloc(elf->symbol_count * sizeof *b->bound);
  b->used = cn_elf_find_used_symbols(elf);
  for (uint32_t i = b->first; i < elf->symbol_count; i++)
    if (bind_to_local_copy(b, i))
      return -1;
  size_t room = (elf->size + 7) / 8 * 8;
  b->file = cn_alloc(room + new_symbol_table_bytes(b) + b->names_size + sizeof jitlink_hint_symbol);
  memcpy(b->file, elf->bytes, elf->size);
  b->size = room;
  if (renumber_symbols(b))
    return -1;
  write_symbol_table(b);
  return 0;
}

int cn_elf_bind_object_symbols(const void *bytes, size_t size, ptrdiff_t mutator, void **out, size_t *out_size,
                               char **error)
{
  struct symbol_binder b = {.mutator = mutator, .error = error};

  if (cn_elf_open_for_port(&b.elf, bytes, size, error))
    return -1;
  int status = bind_object_symbols(&b);
  if (!status) {
    *out = b.file;
    *out_size = b.size;
  } else {
    free(b.file);
  }
  free(b.bound);
  free(b.used);
  cn_free(&b.fresh);
  cn_elf_close(&b.elf);
  return status;
}
