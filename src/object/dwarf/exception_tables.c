/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the landing pads of calls in the exception tables of an object (LSDAs in sections .gcc_except_table; "Itanium
 * C++ ABI: Exception Handling", and the "Exception Handling Tables" that accompany it). A pad's selector is the one of
 * an exception without a type: that of the first clause that catches everything, or 0 for a cleanup. Used by
 * frames_build.c while an object is rewritten. The tables are input: each read is compared with the end of its section.
 * struct cn_exception_tables owns two sorted arrays. Errors are returned as text.
 */
#include "object/dwarf/exception_tables.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "object/dwarf/cfi_entries.h"

#define SECTION_PREFIX ".gcc_except_table"

static const char malformed[] = "its exception table is malformed";

struct cn_exception_tables {
  const struct cn_elf_file *elf;
  CN_VECTOR(struct cn_cfi_entry) entries; /* with tables, by code */
  CN_VECTOR(uint64_t) relocated;          /* addresses of relocated places in the sections of tables, ascending */
};

/* ---- opening ---- */

static void add_entry(const struct cn_cfi_entry *entry, void *env)
{
  struct cn_exception_tables *tables = env;

  if (entry && entry->table)
    cn_push(&tables->entries, *entry);
}

static int by_code(const void *x, const void *y)
{
  const struct cn_cfi_entry *a = x, *b = y;

  return a->code.start < b->code.start ? -1 : a->code.start > b->code.start;
}

static int by_address(const void *x, const void *y)
{
  uint64_t a, b;

  memcpy(&a, x, sizeof a);
  memcpy(&b, y, sizeof b);
  return a < b ? -1 : a > b;
}

static void add_relocated_places(struct cn_exception_tables *tables, uint32_t section)
{
  const struct cn_elf_file *elf = tables->elf;
  const struct cn_elf_section *s = &elf->sections[section];
  uint32_t at = cn_elf_find_rela_section(elf, s->relocations);

  for (; at; at = cn_elf_find_rela_section(elf, elf->sections[at].next_relocations))
    for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= elf->sections[at].head.sh_size; i += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, elf->sections[at].data + i, sizeof r);
      cn_push(&tables->relocated, s->head.sh_addr + r.r_offset);
    }
}

int cn_exception_tables_open(struct cn_exception_tables **out, struct cn_elf_file *elf, char **error)
{
  uint32_t eh_frame = cn_elf_find_section(elf, ".eh_frame", 0);
  struct cn_exception_tables *tables = cn_alloc(sizeof *tables);

  CN_ASSERT(elf->placed); /* the placement has given addresses to sections */
  *out = tables;
  tables->elf = elf;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    if (!s->data || strncmp(s->name, SECTION_PREFIX, strlen(SECTION_PREFIX)) != 0 || !(s->head.sh_flags & SHF_ALLOC))
      continue;
    if (cn_elf_relocate_section(elf, i, error))
      return -1;
    add_relocated_places(tables, i);
  }
  if (eh_frame && elf->sections[eh_frame].data)
    cn_cfi_visit_entries(&elf->sections[eh_frame], add_entry, tables);
  if (tables->entries.count)
    qsort(tables->entries.at, tables->entries.count, sizeof *tables->entries.at, by_code);
  if (tables->relocated.count)
    qsort(tables->relocated.at, tables->relocated.count, sizeof *tables->relocated.at, by_address);
  return 0;
}

void cn_exception_tables_close(struct cn_exception_tables *tables)
{
  if (!tables)
    return;
  cn_free(&tables->entries);
  cn_free(&tables->relocated);
  free(tables);
}

/* ---- one table ---- */

struct table {
  const struct cn_exception_tables *tables;
  const struct cn_elf_section *section;
  struct cn_byte_cursor call_sites;
  const unsigned char *actions; /* after the call sites */
  const unsigned char *types;   /* the end of the types, which the numbers of clauses count downwards from; or null */
  unsigned call_site_encoding, type_encoding;
};

static bool read_byte(struct cn_byte_cursor *b, unsigned *byte)
{
  if (b->at == b->end)
    return false;
  *byte = *b->at++;
  return true;
}

/* Compilers let landing pads be relative to the function's start. */
static bool open_table(const struct cn_exception_tables *tables, const struct cn_cfi_entry *entry, struct table *out)
{
  uint32_t index = cn_elf_section_at(tables->elf, entry->table);
  const struct cn_elf_section *s = &tables->elf->sections[index];
  unsigned start;
  uint64_t length;

  if (!index || !s->data)
    return false;
  struct cn_byte_cursor b = {s->data + (entry->table - s->head.sh_addr), s->data + s->head.sh_size};
  *out = (struct table){.tables = tables, .section = s};
  if (!read_byte(&b, &start) || start != DW_EH_PE_omit || !read_byte(&b, &out->type_encoding))
    return false;
  if (out->type_encoding != DW_EH_PE_omit) {
    if (!cn_byte_cursor_read_uleb(&b, &length) || length > (uint64_t)(b.end - b.at))
      return false;
    out->types = b.at + length;
  }
  if (!read_byte(&b, &out->call_site_encoding) || !cn_byte_cursor_read_uleb(&b, &length))
    return false;
  out->call_sites = (struct cn_byte_cursor){b.at, b.at};
  if (!cn_byte_cursor_skip(&b, length))
    return false;
  out->call_sites.end = out->actions = b.at;
  return true;
}

struct call_site {
  uint64_t start, length, pad, action;
};

static bool read_call_site(struct table *table, struct call_site *out)
{
  uint64_t *const numbers[] = {&out->start, &out->length, &out->pad};
  struct cn_byte_cursor *b = &table->call_sites;

  for (unsigned i = 0; i < 3; i++)
    switch (table->call_site_encoding) {
    case DW_EH_PE_uleb128:
      if (!cn_byte_cursor_read_uleb(b, numbers[i]))
        return false;
      break;
    case DW_EH_PE_udata4:
      if (b->end - b->at < 4)
        return false;
      *numbers[i] = cn_load_little_endian(b->at, 4);
      b->at += 4;
      break;
    default:
      return false;
    }
  return cn_byte_cursor_read_uleb(b, &out->action);
}

static bool read_sleb(struct cn_byte_cursor *b, int64_t *value)
{
  uint64_t bits = 0;
  unsigned shift = 0, byte = 0x80;

  while (byte & 0x80) {
    if (shift > 63 || !read_byte(b, &byte))
      return false;
    bits |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  }
  if (shift < 64 && (byte & 0x40))
    bits |= UINT64_MAX << shift;
  *value = (int64_t)bits;
  return true;
}

/* True if the clause with this number catches everything: its type is null. A type that the linker sets is not null.
 * `*fails` is set if the number is out of range. */
static bool is_catch_all(const struct table *table, uint64_t number, bool *fails)
{
  unsigned size = table->types ? cn_eh_pointer_size(table->type_encoding) : 0;
  const uint64_t *places = table->tables->relocated.at;
  size_t low = 0;

  CN_CHECK(number > 0);
  *fails = !size || number > (uint64_t)(table->types - table->section->data) / size;
  if (*fails)
    return false;
  const unsigned char *at = table->types - number * size;
  uint64_t address = table->section->head.sh_addr + (uint64_t)(at - table->section->data);
  CN_BISECT(low, table->tables->relocated.count, middle, places[middle] < address);
  if (low < table->tables->relocated.count && places[low] < address + size)
    return false;
  for (unsigned i = 0; i < size; i++)
    if (at[i])
      return false;
  return true;
}

/* Follow the call site's actions to the first one that an exception without a type takes. False: the actions are
 * malformed. */
static bool read_actions(const struct table *table, const struct call_site *site, struct cn_landing *out)
{
  const unsigned char *end = table->section->data + table->section->head.sh_size;
  struct cn_byte_cursor b = {table->actions, end};
  int64_t clause, next;
  bool fails = false, cleans_up = false;

  CN_CHECK(site->action > 0 && table->actions <= end);
  if (!cn_byte_cursor_skip(&b, site->action - 1))
    return false;
  for (;;) {
    if (!read_sleb(&b, &clause))
      return false;
    const unsigned char *from = b.at;
    if (!read_sleb(&b, &next))
      return false;
    cleans_up = cleans_up || clause == 0;
    out->barred = clause < 0;
    if (clause > 0 && is_catch_all(table, (uint64_t)clause, &fails)) {
      out->selector = (uint32_t)clause;
      return clause <= INT32_MAX;
    }
    if (fails || next > end - from || next < table->actions - from)
      return false;
    if (out->barred || !next) {
      out->pad = cleans_up || out->barred ? out->pad : 0;
      return true;
    }
    if (next <= 0) /* compilers share ends of lists, which lie before; a list that goes back twice may be a circle */
      b.end = from;
    b.at = from + next;
  }
}

/* False: the table is malformed. */
static bool read_landing(const struct table *table, const struct cn_cfi_entry *entry, uint64_t function,
                         const struct call_site *site, uint64_t end, struct cn_landing *out)
{
  uint64_t popped;

  if (!site->pad)
    return true;
  if (site->pad == entry->code.size) { /* an unreachable pad has no code */
    out->barred = true;
    return true;
  }
  uint64_t pad = entry->code.start + site->pad - function;
  if (site->pad >= entry->code.size || entry->code.start < function || pad > UINT32_MAX ||
      !cn_cfi_find_args_size(entry, end - 1, &popped) || popped > INT32_MAX || popped % 8)
    return false;
  out->pad = (uint32_t)pad;
  out->popped = (uint32_t)popped;
  if (site->action && !read_actions(table, site, out))
    return false;
  if (out->barred)
    *out = (struct cn_landing){.barred = true};
  else if (!out->pad)
    *out = (struct cn_landing){0};
  return true;
}

/* A call outside of all call sites ends the program if an exception arrives. */
static const char *find_in_table(struct table *table, const struct cn_cfi_entry *entry, uint64_t function, uint64_t end,
                                 struct cn_landing *out)
{
  uint64_t offset = end - 1 - entry->code.start;
  struct call_site site;

  CN_CHECK(offset < entry->code.size);
  while (table->call_sites.at < table->call_sites.end) {
    if (!read_call_site(table, &site))
      return malformed;
    if (offset >= site.start && offset - site.start < site.length)
      return read_landing(table, entry, function, &site, end, out) ? NULL : malformed;
  }
  out->barred = true;
  return NULL;
}

const char *cn_exception_tables_find(const struct cn_exception_tables *tables, uint64_t function, uint64_t end,
                                     struct cn_landing *out)
{
  size_t low = 0;
  struct table table;

  CN_ASSERT(function < end);
  *out = (struct cn_landing){0};
  CN_BISECT(low, tables->entries.count, middle, tables->entries.at[middle].code.start < end);
  if (low == 0)
    return NULL;
  const struct cn_cfi_entry *entry = &tables->entries.at[low - 1];
  if (end - 1 - entry->code.start >= entry->code.size)
    return NULL;
  if (entry->table == CN_CFI_UNKNOWN_TABLE || !open_table(tables, entry, &table))
    return malformed;
  return find_in_table(&table, entry, function, end, out);
}
