/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocates sections of an object as a linker would, or those of an image as its loader would.
 *
 * Only sections of data are relocated: stack maps, frame maps, call-frame and debug information. Code is left alone, so
 * relocations of instructions are unknown, and errors. RISC-V writes the distance of two labels as an addition and a
 * subtraction at one place, since its linker may shorten the code between them ("RISC-V ELF psABI", relocations ADD and
 * SUB).
 */
#include <string.h>
#include "base/check.h"
#include "object/elf/elf_file.h"

/* Addresses begin here, so that all functions lie above 0. */
enum { PROBE_ADDRESS = 0x100000 };

int cn_elf_place(struct cn_elf *elf, char **error)
{
  uint64_t address = PROBE_ADDRESS;

  for (uint32_t i = 1; i < elf->section_count && elf->head.e_type == ET_REL; i++) {
    Elf64_Shdr *h = &elf->sections[i].head;
    size_t at = elf->head.e_shoff + i * sizeof *h;
    if (!(h->sh_flags & SHF_ALLOC))
      continue;
    uint64_t align = h->sh_addralign > 1 ? h->sh_addralign : 1;
    if ((align & (align - 1)) || align > UINT32_MAX || h->sh_size > UINT32_MAX || address > UINT64_MAX / 4)
      return cn_elf_fail(elf, at, "a section of a strange size or alignment", error);
    address = (address + align - 1) & ~(align - 1);
    h->sh_addr = address;
    memcpy(elf->bytes + at, h, sizeof *h);
    address += h->sh_size + 1; /* a gap keeps the end of one section apart from the start of the next */
  }
  cn_elf_sort(elf);
  return 0;
}

enum action {
  NOTHING,
  SET,      /* symbol + addend */
  RELATIVE, /* as SET; the symbol is the image */
  DISTANCE, /* minus the address of the place */
  ADD,      /* the place's own value plus symbol + addend */
  SUBTRACT,
  SET_ULEB, /* the place holds a number in base 128, which keeps its length */
  SUBTRACT_ULEB,
};

/* Missing in <elf.h>. */
enum { RISCV_SET_ULEB128 = 60, RISCV_SUB_ULEB128 = 61 };

struct howto {
  uint16_t machine;
  uint16_t type;
  uint8_t action; /* enum action */
  uint8_t bits;
};

static const struct howto howtos[] = {
    {EM_X86_64, R_X86_64_NONE, NOTHING, 0},
    {EM_X86_64, R_X86_64_64, SET, 64},
    {EM_X86_64, R_X86_64_PC64, DISTANCE, 64},
    {EM_X86_64, R_X86_64_PC32, DISTANCE, 32},
    {EM_X86_64, R_X86_64_PLT32, DISTANCE, 32},
    {EM_X86_64, R_X86_64_32, SET, 32},
    {EM_X86_64, R_X86_64_32S, SET, 32},
    {EM_X86_64, R_X86_64_DTPOFF64, NOTHING, 0}, /* debug information: a thread's variable */
    {EM_X86_64, R_X86_64_DTPOFF32, NOTHING, 0},
    {EM_X86_64, R_X86_64_RELATIVE, RELATIVE, 64},
    {EM_AARCH64, R_AARCH64_NONE, NOTHING, 0},
    {EM_AARCH64, R_AARCH64_ABS64, SET, 64},
    {EM_AARCH64, R_AARCH64_ABS32, SET, 32},
    {EM_AARCH64, R_AARCH64_PREL64, DISTANCE, 64},
    {EM_AARCH64, R_AARCH64_PREL32, DISTANCE, 32},
    {EM_AARCH64, R_AARCH64_RELATIVE, RELATIVE, 64},
    {EM_RISCV, R_RISCV_NONE, NOTHING, 0},
    {EM_RISCV, R_RISCV_RELAX, NOTHING, 0},
    {EM_RISCV, R_RISCV_64, SET, 64},
    {EM_RISCV, R_RISCV_32, SET, 32},
    {EM_RISCV, R_RISCV_SET32, SET, 32},
    {EM_RISCV, R_RISCV_SET16, SET, 16},
    {EM_RISCV, R_RISCV_SET8, SET, 8},
    {EM_RISCV, R_RISCV_SET6, SET, 6},
    {EM_RISCV, R_RISCV_32_PCREL, DISTANCE, 32},
    {EM_RISCV, R_RISCV_ADD64, ADD, 64},
    {EM_RISCV, R_RISCV_ADD32, ADD, 32},
    {EM_RISCV, R_RISCV_ADD16, ADD, 16},
    {EM_RISCV, R_RISCV_ADD8, ADD, 8},
    {EM_RISCV, R_RISCV_SUB64, SUBTRACT, 64},
    {EM_RISCV, R_RISCV_SUB32, SUBTRACT, 32},
    {EM_RISCV, R_RISCV_SUB16, SUBTRACT, 16},
    {EM_RISCV, R_RISCV_SUB8, SUBTRACT, 8},
    {EM_RISCV, R_RISCV_SUB6, SUBTRACT, 6},
    {EM_RISCV, R_RISCV_RELATIVE, RELATIVE, 64},
    {EM_RISCV, RISCV_SET_ULEB128, SET_ULEB, 8},
    {EM_RISCV, RISCV_SUB_ULEB128, SUBTRACT_ULEB, 8},
};

static const struct howto *howto_of(const struct cn_elf *elf, uint32_t type)
{
  for (size_t i = 0; i < sizeof howtos / sizeof *howtos; i++)
    if (howtos[i].machine == elf->head.e_machine && howtos[i].type == type)
      return &howtos[i];
  return NULL;
}

/* Store one relocation's value in a number in base 128, of at most `room` bytes. False: the number is longer. */
static bool store_uleb(unsigned char *at, size_t room, enum action action, uint64_t value)
{
  uint64_t old = 0;
  size_t length = 0;

  do {
    if (length == room || length == 10)
      return false;
    old |= length < 9 ? (uint64_t)(at[length] & 0x7f) << 7 * length : 0;
  } while (at[length++] & 0x80);
  if (action == SUBTRACT_ULEB)
    value = old - value;
  for (size_t i = 0; i < length; i++) {
    uint64_t low = i < 9 ? value >> 7 * i & 0x7f : 0, more = i + 1 < length ? 0x80 : 0;
    at[i] = (unsigned char)(low | more);
  }
  return true;
}

/* Store one relocation's value at `at`, which has space for it. */
static void store_relocated_value(unsigned char *at, const struct howto *how, uint64_t value, uint64_t place)
{
  CN_CHECK(how->bits <= 64);
  unsigned bytes = (how->bits + 7u) / 8;
  uint64_t mask = how->bits == 64 ? UINT64_MAX : (UINT64_C(1) << how->bits) - 1, old = 0;

  memcpy(&old, at, bytes);
  switch ((enum action)how->action) {
  case NOTHING:
    return;
  case SET:
  case RELATIVE:
    break;
  case DISTANCE:
    value -= place;
    break;
  case ADD:
    value = old + value;
    break;
  case SUBTRACT:
    value = old - value;
    break;
  case SET_ULEB:
  case SUBTRACT_ULEB:
    CN_UNREACHABLE();
  }
  value = (old & ~mask) | (value & mask);
  memcpy(at, &value, bytes);
}

/* The address of symbol `index` of the symbol table in section `table`, which may differ from elf->symbols: dynamic
 * relocations have their own. False: the index is out of range. */
static bool symbol_value(const struct cn_elf *elf, uint32_t table, uint64_t index, uint64_t *value)
{
  Elf64_Sym sym;

  *value = 0;
  if (index == 0)
    return true;
  if (table == elf->symtab && table) {
    if (index >= elf->symbol_count)
      return false;
    *value = cn_elf_address(elf, &elf->symbols[index]);
    return true;
  }
  if (table >= elf->section_count || !elf->sections[table].data ||
      index >= elf->sections[table].head.sh_size / sizeof sym || elf->head.e_type == ET_REL)
    return false;
  memcpy(&sym, elf->sections[table].data + index * sizeof sym, sizeof sym);
  *value = sym.st_value;
  return true;
}

static int apply_relocation(struct cn_elf *elf, struct cn_elf_section *section, const Elf64_Rela *r, uint32_t table,
                            size_t at, char **error)
{
  const struct howto *how = howto_of(elf, (uint32_t)ELF64_R_TYPE(r->r_info));
  uint64_t base = elf->head.e_type == ET_REL ? 0 : section->head.sh_addr, value;

  if (!how || (how->action == RELATIVE && elf->head.e_type == ET_REL))
    return cn_elf_fail(elf, at, "a relocation of unexpected type", error);
  unsigned bytes = (how->bits + 7u) / 8;
  uint64_t offset = r->r_offset - base;
  if (section->head.sh_size < bytes || offset > section->head.sh_size - bytes)
    return cn_elf_fail(elf, at, "a relocation beyond the end of its section", error);
  if (!symbol_value(elf, table, ELF64_R_SYM(r->r_info), &value))
    return cn_elf_fail(elf, at, "a relocation against no symbol", error);
  unsigned char *place = section->data + offset;
  value += (uint64_t)r->r_addend;
  if (how->action != SET_ULEB && how->action != SUBTRACT_ULEB)
    store_relocated_value(place, how, value, section->head.sh_addr + offset);
  else if (!store_uleb(place, section->head.sh_size - offset, how->action, value))
    return cn_elf_fail(elf, at, "a relocation of a number that does not end", error);
  return 0;
}

static int apply_all(struct cn_elf *elf, const struct cn_elf_section *s, uint32_t target, char **error)
{
  struct cn_elf_section *section = &elf->sections[target];
  const Elf64_Shdr *h = &section->head;
  size_t step = s->head.sh_type == SHT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);

  for (uint64_t at = 0; s->data && at + step <= s->head.sh_size; at += step) {
    Elf64_Rela r = {0};
    memcpy(&r, s->data + at, step);
    if (elf->head.e_type != ET_REL && r.r_offset - h->sh_addr >= h->sh_size)
      continue; /* of another section */
    if (s->head.sh_type == SHT_REL)
      return cn_elf_fail(elf, s->head.sh_offset + at, "a relocation without addend", error);
    if (apply_relocation(elf, section, &r, s->head.sh_link, s->head.sh_offset + at, error))
      return -1;
  }
  return 0;
}

static int apply_section(struct cn_elf *elf, uint32_t index, uint32_t target, char **error)
{
  const struct cn_elf_section *s = &elf->sections[index], *section = &elf->sections[target];
  size_t header = elf->head.e_shoff + index * sizeof(Elf64_Shdr);

  if (cn_elf_is_packed(s))
    return cn_elf_fail(elf, header, "relocations in a packed form (CREL, Android)", error);
  if (elf->head.e_type == ET_REL && (s->head.sh_link != elf->symtab || !section->data))
    return cn_elf_fail(elf, header, "a malformed relocation section", error);
  return section->data ? apply_all(elf, s, target, error) : 0;
}

/* Apply the loader's relocations: they are in loaded sections, and so are their targets. The linker has applied others
 * that it kept on request (--emit-relocs). */
static int relocate_loaded(struct cn_elf *elf, uint32_t target, char **error)
{
  if (!(elf->sections[target].head.sh_flags & SHF_ALLOC))
    return 0;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    bool speaks = s->head.sh_type == SHT_RELA || s->head.sh_type == SHT_REL || cn_elf_is_packed(s);
    if (speaks && (s->head.sh_flags & SHF_ALLOC) && apply_section(elf, i, target, error))
      return -1;
  }
  return 0;
}

int cn_elf_relocate(struct cn_elf *elf, uint32_t target, char **error)
{
  CN_CHECK(target < elf->section_count);
  struct cn_elf_section *section = &elf->sections[target];

  if (section->relocated)
    return 0;
  section->relocated = true;
  if (elf->head.e_type != ET_REL)
    return relocate_loaded(elf, target, error);
  for (uint32_t i = section->relocations; i; i = elf->sections[i].next_relocations)
    if (apply_section(elf, i, target, error))
      return -1;
  return 0;
}
