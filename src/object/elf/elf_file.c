/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and checks an ELF file in memory, with its sections, groups, relocations and symbols; finds sections and
 * functions by name or address. The input may be hostile, so every offset, size and index is compared with its bound
 * before its use. struct cn_elf_file owns a private copy of the file, so the caller's bytes stay unchanged. Runs first
 * in each reader of objects and images. Errors are returned as text.
 */
#include "object/elf/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"

int cn_elf_fail_at_offset(struct cn_elf_file *elf, size_t offset, const char *reason, char **error)
{
  elf->fault_offset = offset;
  elf->fault_reason = reason;
  return CN_FAIL(error, "%s, at offset 0x%zx", reason, offset);
}

static bool is_within_file(const struct cn_elf_file *elf, uint64_t offset, uint64_t size)
{
  return size <= elf->size && offset <= elf->size - size;
}

static int read_header(struct cn_elf_file *elf, char **error)
{
  if (elf->size < SELFMAG || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0)
    return cn_elf_fail_at_offset(elf, 0, "not an ELF file", error);
  if (!is_within_file(elf, 0, sizeof elf->head))
    return cn_elf_fail_at_offset(elf, elf->size, "the ELF header is cut off", error);
  memcpy(&elf->head, elf->bytes, sizeof elf->head);
  if (elf->head.e_ident[EI_CLASS] != ELFCLASS64 || elf->head.e_ident[EI_DATA] != ELFDATA2LSB)
    return cn_elf_fail_at_offset(elf, EI_CLASS, "not a 64-bit little-endian ELF file", error);
  if (elf->head.e_machine != EM_X86_64 && elf->head.e_machine != EM_AARCH64 && elf->head.e_machine != EM_RISCV)
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_machine), "not an ELF file for x86-64, AArch64 or RISC-V",
                                 error);
  elf->port = cn_elf_find_port(elf->head.e_machine);
  if (elf->head.e_shoff && elf->head.e_shentsize != sizeof(Elf64_Shdr))
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_shentsize), "section headers of a strange size", error);
  return 0;
}

static size_t section_header_offset_of(const struct cn_elf_file *elf, uint32_t section)
{
  return elf->head.e_shoff + section * sizeof(Elf64_Shdr);
}

/* The string at `offset` of string table `strings`, whose last byte must be zero. */
static const char *string_table_text(const struct cn_elf_file *elf, uint32_t strings, uint32_t offset)
{
  const struct cn_elf_section *s = &elf->sections[strings];

  if (strings >= elf->section_count || !s->data || offset >= s->head.sh_size || s->data[s->head.sh_size - 1])
    return NULL;
  return (const char *)s->data + offset;
}

static bool has_file_bytes(const struct cn_elf_file *elf, uint32_t section)
{
  uint32_t type = elf->sections[section].head.sh_type;

  return section > 0 && type != SHT_NOBITS && type != SHT_NULL;
}

static int read_section_headers(struct cn_elf_file *elf, char **error)
{
  static const char beyond[] = "section headers beyond the end of the file";
  Elf64_Shdr first = {0};
  uint64_t count = elf->head.e_shnum;

  if (!elf->head.e_shoff)
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_shoff), "no section headers", error);
  if (!is_within_file(elf, elf->head.e_shoff, sizeof first))
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_shoff), beyond, error);
  memcpy(&first, elf->bytes + elf->head.e_shoff, sizeof first);
  if (count == 0)
    count = first.sh_size; /* with 65280 sections or more, the ELF standard's extended numbering */
  if (count == 0 || count > UINT32_MAX / sizeof first || !is_within_file(elf, elf->head.e_shoff, count * sizeof first))
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_shoff), beyond, error);
  elf->section_count = (uint32_t)count;
  elf->sections = cn_alloc(count * sizeof *elf->sections);
  for (uint32_t i = 0; i < count; i++) {
    Elf64_Shdr *h = &elf->sections[i].head;
    memcpy(h, elf->bytes + elf->head.e_shoff + i * sizeof *h, sizeof *h);
    if (has_file_bytes(elf, i) && !is_within_file(elf, h->sh_offset, h->sh_size))
      return cn_elf_fail_at_offset(elf, section_header_offset_of(elf, i),
                                   "a section that lies beyond the end of the file", error);
  }
  return 0;
}

/* Copy the file up to the end of its sections and headers, because arbitrarily many other bytes may follow. */
static int copy_file_bytes(struct cn_elf_file *elf, const void *bytes, char **error)
{
  uint64_t end = elf->head.e_shoff + elf->section_count * sizeof(Elf64_Shdr);

  for (uint32_t i = 0; i < elf->section_count; i++) {
    const Elf64_Shdr *h = &elf->sections[i].head;
    if (has_file_bytes(elf, i) && h->sh_offset + h->sh_size > end)
      end = h->sh_offset + h->sh_size;
  }
  elf->size = end > sizeof elf->head ? end : sizeof elf->head;
  elf->bytes = malloc(elf->size);
  if (!elf->bytes)
    return cn_elf_fail_at_offset(elf, 0, "no memory for a copy", error);
  memcpy(elf->bytes, bytes, elf->size);
  return 0;
}

/* Read the headers in the caller's bytes before the copy, so that files of other formats and bytes after the sections
 * take no memory. */
static int read_and_copy_file(struct cn_elf_file *elf, const void *bytes, size_t size, char **error)
{
  *elf = (struct cn_elf_file){.size = size, .bytes = (unsigned char *)bytes};
  int status = read_header(elf, error);
  if (!status)
    status = read_section_headers(elf, error);
  elf->bytes = NULL;
  return status ? status : copy_file_bytes(elf, bytes, error);
}

uint32_t cn_elf_section_name_table(const struct cn_elf_file *elf)
{
  return elf->head.e_shstrndx == SHN_XINDEX ? elf->sections[0].head.sh_link : elf->head.e_shstrndx;
}

static int read_sections(struct cn_elf_file *elf, char **error)
{
  uint32_t count = elf->section_count, names = cn_elf_section_name_table(elf);

  for (uint32_t i = 0; i < count; i++)
    if (has_file_bytes(elf, i))
      elf->sections[i].data = elf->bytes + elf->sections[i].head.sh_offset;
  for (uint32_t i = 0; i < count; i++) {
    elf->sections[i].name = i ? string_table_text(elf, names, elf->sections[i].head.sh_name) : "";
    if (!elf->sections[i].name)
      return cn_elf_fail_at_offset(elf, section_header_offset_of(elf, i), "a section without a readable name", error);
  }
  return 0;
}

/* Types of packed relocations, which this reader refuses: CREL of LLVM 19 and Android's types. */
enum { SECTION_TYPE_CREL = 0x40000014, SECTION_TYPE_ANDROID_REL = 0x60000001, SECTION_TYPE_ANDROID_RELA = 0x60000002 };

bool cn_elf_is_packed_relocations(const struct cn_elf_section *s)
{
  return s->head.sh_type == SECTION_TYPE_CREL || s->head.sh_type == SECTION_TYPE_ANDROID_REL ||
         s->head.sh_type == SECTION_TYPE_ANDROID_RELA;
}

static void link_relocation_sections(struct cn_elf_file *elf)
{
  for (uint32_t i = elf->section_count; elf->head.e_type == ET_REL && i-- > 1;) {
    struct cn_elf_section *s = &elf->sections[i];
    if ((s->head.sh_type != SHT_RELA && s->head.sh_type != SHT_REL && !cn_elf_is_packed_relocations(s)) ||
        s->head.sh_info >= elf->section_count)
      continue;
    s->next_relocations = elf->sections[s->head.sh_info].relocations;
    elf->sections[s->head.sh_info].relocations = i;
  }
}

/* A range of the file's bytes. */
struct file_extent {
  uint64_t start, end;
  size_t header; /* the offset of its header in the file */
};

static int compare_extents_by_start(const void *x, const void *y)
{
  const struct file_extent *a = x, *b = y;

  return a->start < b->start ? -1 : a->start > b->start;
}

/* Refuse sections that share bytes with each other or with headers, because the relocation of one section would change
 * the other, such as a table of names. */
static int check_sections_disjoint(struct cn_elf_file *elf, char **error)
{
  struct file_extent *all = cn_alloc((elf->section_count + UINT64_C(1)) * sizeof *all);
  uint64_t headers = elf->section_count * sizeof(Elf64_Shdr);
  size_t count = 0;

  all[count++] = (struct file_extent){0, sizeof elf->head, 0};
  all[count++] = (struct file_extent){elf->head.e_shoff, elf->head.e_shoff + headers, offsetof(Elf64_Ehdr, e_shoff)};
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const Elf64_Shdr *h = &elf->sections[i].head;
    if (elf->sections[i].data && h->sh_size)
      all[count++] = (struct file_extent){h->sh_offset, h->sh_offset + h->sh_size, section_header_offset_of(elf, i)};
  }
  CN_CHECK(count <= elf->section_count + UINT64_C(1));
  qsort(all, count, sizeof *all, compare_extents_by_start);
  size_t bad = 1;
  while (bad < count && all[bad].start >= all[bad - 1].end)
    bad++;
  size_t header = bad < count ? all[bad].header : 0;
  free(all);
  return bad == count ? 0
                      : cn_elf_fail_at_offset(elf, header,
                                              "a section that shares bytes with another or "
                                              "with the headers",
                                              error);
}

static int read_section_groups(struct cn_elf_file *elf, char **error)
{
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *g = &elf->sections[i];
    if (g->head.sh_type != SHT_GROUP)
      continue;
    for (uint64_t at = 4; at + 4 <= g->head.sh_size; at += 4) {
      uint32_t member;
      memcpy(&member, g->data + at, 4);
      if (member == 0 || member >= elf->section_count)
        return cn_elf_fail_at_offset(elf, g->head.sh_offset + at, "a section group names a section that does not exist",
                                     error);
      elf->sections[member].group = i;
    }
  }
  return 0;
}

static int read_symbol_table(struct cn_elf_file *elf, uint32_t table, char **error)
{
  const struct cn_elf_section *s = &elf->sections[table], *wide = NULL;

  if (s->head.sh_entsize != sizeof(Elf64_Sym) || !s->data || s->head.sh_size / sizeof(Elf64_Sym) > UINT32_MAX)
    return cn_elf_fail_at_offset(elf, section_header_offset_of(elf, table), "malformed symbol table", error);
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (elf->sections[i].head.sh_type == SHT_SYMTAB_SHNDX && elf->sections[i].head.sh_link == table)
      wide = &elf->sections[i];
  elf->symtab = table;
  elf->symbol_count = (uint32_t)(s->head.sh_size / sizeof(Elf64_Sym));
  elf->symbols = cn_alloc(elf->symbol_count * sizeof *elf->symbols);
  for (uint32_t i = 0; i < elf->symbol_count; i++) {
    struct cn_elf_symbol *symbol = &elf->symbols[i];
    size_t at = s->head.sh_offset + i * sizeof symbol->sym;
    memcpy(&symbol->sym, s->data + i * sizeof symbol->sym, sizeof symbol->sym);
    symbol->name = string_table_text(elf, s->head.sh_link, symbol->sym.st_name);
    symbol->section = symbol->sym.st_shndx;
    if (symbol->sym.st_shndx == SHN_XINDEX) {
      if (!wide || (i + UINT64_C(1)) * 4 > wide->head.sh_size)
        return cn_elf_fail_at_offset(elf, at, "a symbol without a section index", error);
      memcpy(&symbol->section, wide->data + i * UINT64_C(4), 4);
    } else if (symbol->section >= SHN_LORESERVE) {
      symbol->section = 0;
    }
    if (!symbol->name || symbol->section >= elf->section_count)
      return cn_elf_fail_at_offset(elf, at, "a malformed symbol", error);
    if (ELF64_ST_TYPE(symbol->sym.st_info) == STT_SECTION && !*symbol->name)
      symbol->name = elf->sections[symbol->section].name;
  }
  return 0;
}

static uint32_t find_symbol_table(const struct cn_elf_file *elf)
{
  static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};

  for (size_t t = 0; t < 2; t++)
    for (uint32_t i = 1; i < elf->section_count; i++)
      if (elf->sections[i].head.sh_type == types[t])
        return i;
  return 0;
}

int cn_elf_open_any_machine(struct cn_elf_file *elf, const void *bytes, size_t size, char **error)
{
  int status = read_and_copy_file(elf, bytes, size, error);
  if (!status)
    status = read_sections(elf, error);
  if (!status)
    status = check_sections_disjoint(elf, error);
  if (!status)
    status = read_section_groups(elf, error);
  if (!status)
    link_relocation_sections(elf);
  uint32_t table = status ? 0 : find_symbol_table(elf);
  if (table)
    status = read_symbol_table(elf, table, error);
  if (status)
    cn_elf_close(elf);
  else
    CN_ASSERT_VALID(cn_elf_wrong(elf));
  return status;
}

int cn_elf_open_for_port(struct cn_elf_file *elf, const void *bytes, size_t size, char **error)
{
  int status = cn_elf_open_any_machine(elf, bytes, size, error);

  if (!status && !elf->port) {
    cn_elf_close(elf);
    return cn_elf_fail_at_offset(elf, offsetof(Elf64_Ehdr, e_machine), "not an ELF file for " CN_ELF_PORT_NAMES, error);
  }
  return status;
}

void cn_elf_close(struct cn_elf_file *elf)
{
  size_t offset = elf->fault_offset;
  const char *reason = elf->fault_reason;

  free(elf->bytes);
  free(elf->sections);
  free(elf->symbols);
  free(elf->functions);
  free(elf->placed);
  *elf = (struct cn_elf_file){.fault_offset = offset, .fault_reason = reason};
}

uint32_t cn_elf_find_rela_section(const struct cn_elf_file *elf, uint32_t from)
{
  CN_CHECK(from < elf->section_count);
  while (from && elf->sections[from].head.sh_type != SHT_RELA)
    from = elf->sections[from].next_relocations;
  return from;
}

static void note_use(const struct cn_elf_file *elf, bool *used, uint64_t symbol)
{
  if (symbol < elf->symbol_count)
    used[symbol] = true;
}

bool *cn_elf_find_used_symbols(const struct cn_elf_file *elf)
{
  bool *used = cn_alloc((elf->symbol_count + 1) * sizeof *used);
  Elf64_Rela r;

  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    if (s->head.sh_type == SHT_GROUP)
      note_use(elf, used, s->head.sh_info);
    for (uint64_t at = 0; s->head.sh_type == SHT_RELA && s->data && at + sizeof r <= s->head.sh_size; at += sizeof r) {
      memcpy(&r, s->data + at, sizeof r);
      note_use(elf, used, ELF64_R_SYM(r.r_info));
    }
  }
  return used;
}

uint32_t cn_elf_find_section(const struct cn_elf_file *elf, const char *name, uint32_t from)
{
  for (uint32_t i = from ? from : 1; i < elf->section_count; i++)
    if (strcmp(elf->sections[i].name, name) == 0)
      return i;
  return 0;
}

uint64_t cn_elf_sum_section_bytes(const struct cn_elf_file *elf, const char *name)
{
  uint64_t sum = 0;

  for (uint32_t i = 0; (i = cn_elf_find_section(elf, name, i + 1)) != 0;)
    sum += elf->sections[i].head.sh_size;
  return sum;
}

bool cn_elf_has_section(const void *bytes, size_t size, const char *name)
{
  struct cn_elf_file elf;
  char *error = NULL;

  if (cn_elf_open_for_port(&elf, bytes, size, &error)) {
    free(error);
    return false;
  }
  bool found = cn_elf_find_section(&elf, name, 0) != 0;
  cn_elf_close(&elf);
  return found;
}

uint64_t cn_elf_symbol_address(const struct cn_elf_file *elf, const struct cn_elf_symbol *symbol)
{
  CN_ASSERT(symbol >= elf->symbols && symbol < elf->symbols + elf->symbol_count);
  if (elf->head.e_type != ET_REL)
    return symbol->sym.st_value;
  return symbol->section ? elf->sections[symbol->section].head.sh_addr + symbol->sym.st_value : 0;
}

static bool is_placed_section(const Elf64_Shdr *h)
{
  return (h->sh_flags & SHF_ALLOC) && !(h->sh_flags & SHF_TLS) && h->sh_size;
}

static bool section_holds_address(const struct cn_elf_file *elf, uint32_t section, uint64_t address)
{
  const Elf64_Shdr *h = &elf->sections[section].head;

  return is_placed_section(h) && address - h->sh_addr < h->sh_size;
}

/* The last section that begins at or below the address. If sections overlap, the first section that contains the
 * address. */
uint32_t cn_elf_section_at(const struct cn_elf_file *elf, uint64_t address)
{
  uint32_t low = 0;

  CN_BISECT(low, elf->placed_count, middle, elf->sections[elf->placed[middle]].head.sh_addr <= address);
  if (low && section_holds_address(elf, elf->placed[low - 1], address))
    return elf->placed[low - 1];
  for (uint32_t i = 1; i < elf->section_count && (elf->sections_overlap || !elf->placed); i++)
    if (section_holds_address(elf, i, address))
      return i;
  return 0;
}

struct address_entry {
  uint64_t address;
  unsigned rank; /* of several names, the name with the highest rank is found */
  uint32_t index;
};

/* Rank a symbol's name. Global names rank above local names, then source names rank above names that Cairn made. */
static unsigned symbol_name_rank_of(const struct cn_elf_symbol *symbol)
{
  bool global = ELF64_ST_BIND(symbol->sym.st_info) != STB_LOCAL;
  bool made = strncmp(symbol->name, "cairn.", 6) == 0;

  return 2u * global + !made;
}

static int compare_address_entries(const void *a, const void *b)
{
  const struct address_entry *x = a, *y = b;

  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return x->index < y->index ? 1 : -1;
}

static void sort_sections(struct cn_elf_file *elf)
{
  struct address_entry *order = cn_alloc(elf->section_count * sizeof *order);
  uint32_t count = 0;

  for (uint32_t i = 1; i < elf->section_count; i++)
    if (is_placed_section(&elf->sections[i].head))
      order[count++] = (struct address_entry){elf->sections[i].head.sh_addr, 0, i};
  qsort(order, count, sizeof *order, compare_address_entries);
  free(elf->placed);
  elf->placed = cn_alloc((count + UINT64_C(1)) * sizeof *elf->placed);
  elf->placed_count = count;
  for (uint32_t i = 0; i < count; i++) {
    const Elf64_Shdr *last = i ? &elf->sections[order[i - 1].index].head : NULL;
    elf->placed[i] = order[i].index;
    elf->sections_overlap |= last && order[i].address - last->sh_addr < last->sh_size;
  }
  free(order);
}

static void sort_functions(struct cn_elf_file *elf)
{
  struct address_entry *order = cn_alloc((elf->symbol_count + UINT64_C(1)) * sizeof *order);
  uint32_t count = 0;

  for (uint32_t i = 0; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    /* Skip sections that are not loaded, because they share their addresses with loaded sections. */
    if (s->section && ELF64_ST_TYPE(s->sym.st_info) == STT_FUNC &&
        (elf->sections[s->section].head.sh_flags & SHF_ALLOC))
      order[count++] = (struct address_entry){cn_elf_symbol_address(elf, s), symbol_name_rank_of(s), i};
  }
  qsort(order, count, sizeof *order, compare_address_entries);
  free(elf->functions);
  elf->functions = cn_alloc((count + UINT64_C(1)) * sizeof *elf->functions);
  elf->function_count = count;
  for (uint32_t i = 0; i < count; i++)
    elf->functions[i] = order[i].index;
  free(order);
}

void cn_elf_sort_by_address(struct cn_elf_file *elf)
{
  sort_sections(elf);
  sort_functions(elf);
  CN_ASSERT_VALID(cn_elf_wrong(elf));
}

const struct cn_elf_symbol *cn_elf_function_at(const struct cn_elf_file *elf, uint64_t address)
{
  uint32_t low = 0;

  CN_BISECT(low, elf->function_count, middle,
            cn_elf_symbol_address(elf, &elf->symbols[elf->functions[middle]]) <= address);
  if (!low)
    return NULL;
  const struct cn_elf_symbol *found = &elf->symbols[elf->functions[low - 1]];
  uint64_t offset = address - cn_elf_symbol_address(elf, found);
  return offset == 0 || offset < found->sym.st_size ? found : NULL;
}
