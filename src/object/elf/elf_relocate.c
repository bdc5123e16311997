/* SPDX-License-Identifier: Apache-2.0
 *
 * Relocates sections of an object like a linker, or sections of an image like its loader, before other files read them.
 * First it gives the sections of an object separate addresses. Changes the private copy in struct cn_elf_file, each
 * section once. Errors are returned as text. Holds no state.
 *
 * The file relocates only data: stack maps, frame maps, call-frame information and debug information. Relocations of
 * instructions are errors. RISC-V expresses the distance of two labels by an addition and a subtraction at one place,
 * because its linker may shorten the code between the labels ("RISC-V ELF psABI", relocations ADD and SUB).
 */
#include <string.h>
#include "base/check.h"
#include "object/elf/elf_file.h"

/* The first assigned address, so that all functions lie above 0. */
enum { FIRST_SECTION_ADDRESS = 0x100000 };

int cn_elf_assign_addresses(struct cn_elf_file *elf, char **error)
{
  uint64_t address = FIRST_SECTION_ADDRESS;

  for (uint32_t i = 1; i < elf->section_count && elf->head.e_type == ET_REL; i++) {
    Elf64_Shdr *h = &elf->sections[i].head;
    size_t at = elf->head.e_shoff + i * sizeof *h;
    if (!(h->sh_flags & SHF_ALLOC))
      continue;
    uint64_t align = h->sh_addralign > 1 ? h->sh_addralign : 1;
    if ((align & (align - 1)) || align > UINT32_MAX || h->sh_size > UINT32_MAX || address > UINT64_MAX / 4)
      return cn_elf_fail_at_offset(elf, at, "a section of a strange size or alignment", error);
    address = (address + align - 1) & ~(align - 1);
    h->sh_addr = address;
    memcpy(elf->bytes + at, h, sizeof *h);
    address += h->sh_size + 1; /* a gap distinguishes the end of one section from the start of the next */
  }
  cn_elf_sort_by_address(elf);
  return 0;
}

enum action {
  STORE_NOTHING,
  STORE_ABSOLUTE,       /* symbol + addend */
  STORE_IMAGE_RELATIVE, /* like STORE_ABSOLUTE, with the image as symbol */
  STORE_PC_RELATIVE,    /* symbol + addend - address of the place */
  STORE_SUM,            /* value of the place + symbol + addend */
  STORE_DIFFERENCE,
  STORE_ULEB, /* the place has a number in base 128, which keeps its length */
  STORE_ULEB_DIFFERENCE,
};

/* Missing in <elf.h>. */
enum { RELOC_RISCV_SET_ULEB128 = 60, RELOC_RISCV_SUB_ULEB128 = 61 };

struct relocation_howto {
  uint16_t machine;
  uint16_t type;
  uint8_t action; /* enum action */
  uint8_t bits;
};

static const struct relocation_howto relocation_howtos[] = {
    {EM_X86_64, R_X86_64_NONE, STORE_NOTHING, 0},
    {EM_X86_64, R_X86_64_64, STORE_ABSOLUTE, 64},
    {EM_X86_64, R_X86_64_PC64, STORE_PC_RELATIVE, 64},
    {EM_X86_64, R_X86_64_PC32, STORE_PC_RELATIVE, 32},
    {EM_X86_64, R_X86_64_PLT32, STORE_PC_RELATIVE, 32},
    {EM_X86_64, R_X86_64_32, STORE_ABSOLUTE, 32},
    {EM_X86_64, R_X86_64_32S, STORE_ABSOLUTE, 32},
    {EM_X86_64, R_X86_64_DTPOFF64, STORE_NOTHING, 0}, /* a thread-local variable in debug information */
    {EM_X86_64, R_X86_64_DTPOFF32, STORE_NOTHING, 0},
    {EM_X86_64, R_X86_64_RELATIVE, STORE_IMAGE_RELATIVE, 64},
    {EM_AARCH64, R_AARCH64_NONE, STORE_NOTHING, 0},
    {EM_AARCH64, R_AARCH64_ABS64, STORE_ABSOLUTE, 64},
    {EM_AARCH64, R_AARCH64_ABS32, STORE_ABSOLUTE, 32},
    {EM_AARCH64, R_AARCH64_PREL64, STORE_PC_RELATIVE, 64},
    {EM_AARCH64, R_AARCH64_PREL32, STORE_PC_RELATIVE, 32},
    {EM_AARCH64, R_AARCH64_RELATIVE, STORE_IMAGE_RELATIVE, 64},
    {EM_RISCV, R_RISCV_NONE, STORE_NOTHING, 0},
    {EM_RISCV, R_RISCV_RELAX, STORE_NOTHING, 0},
    {EM_RISCV, R_RISCV_64, STORE_ABSOLUTE, 64},
    {EM_RISCV, R_RISCV_32, STORE_ABSOLUTE, 32},
    {EM_RISCV, R_RISCV_SET32, STORE_ABSOLUTE, 32},
    {EM_RISCV, R_RISCV_SET16, STORE_ABSOLUTE, 16},
    {EM_RISCV, R_RISCV_SET8, STORE_ABSOLUTE, 8},
    {EM_RISCV, R_RISCV_SET6, STORE_ABSOLUTE, 6},
    {EM_RISCV, R_RISCV_32_PCREL, STORE_PC_RELATIVE, 32},
    {EM_RISCV, R_RISCV_ADD64, STORE_SUM, 64},
    {EM_RISCV, R_RISCV_ADD32, STORE_SUM, 32},
    {EM_RISCV, R_RISCV_ADD16, STORE_SUM, 16},
    {EM_RISCV, R_RISCV_ADD8, STORE_SUM, 8},
    {EM_RISCV, R_RISCV_SUB64, STORE_DIFFERENCE, 64},
    {EM_RISCV, R_RISCV_SUB32, STORE_DIFFERENCE, 32},
    {EM_RISCV, R_RISCV_SUB16, STORE_DIFFERENCE, 16},
    {EM_RISCV, R_RISCV_SUB8, STORE_DIFFERENCE, 8},
    {EM_RISCV, R_RISCV_SUB6, STORE_DIFFERENCE, 6},
    {EM_RISCV, R_RISCV_RELATIVE, STORE_IMAGE_RELATIVE, 64},
    {EM_RISCV, RELOC_RISCV_SET_ULEB128, STORE_ULEB, 8},
    {EM_RISCV, RELOC_RISCV_SUB_ULEB128, STORE_ULEB_DIFFERENCE, 8},
};

static const struct relocation_howto *find_howto(const struct cn_elf_file *elf, uint32_t type)
{
  for (size_t i = 0; i < sizeof relocation_howtos / sizeof *relocation_howtos; i++)
    if (relocation_howtos[i].machine == elf->head.e_machine && relocation_howtos[i].type == type)
      return &relocation_howtos[i];
  return NULL;
}

/* Store a relocation's value in a number in base 128 of at most `room` bytes. False if the number is longer. */
static bool store_relocated_uleb(unsigned char *at, size_t room, enum action action, uint64_t value)
{
  uint64_t old = 0;
  size_t length = 0;

  do {
    if (length == room || length == 10)
      return false;
    old |= length < 9 ? (uint64_t)(at[length] & 0x7f) << 7 * length : 0;
  } while (at[length++] & 0x80);
  if (action == STORE_ULEB_DIFFERENCE)
    value = old - value;
  for (size_t i = 0; i < length; i++) {
    uint64_t low = i < 9 ? value >> 7 * i & 0x7f : 0, more = i + 1 < length ? 0x80 : 0;
    at[i] = (unsigned char)(low | more);
  }
  return true;
}

static void store_relocated_value(unsigned char *at, const struct relocation_howto *how, uint64_t value, uint64_t place)
{
  CN_CHECK(how->bits <= 64);
  unsigned bytes = (how->bits + 7u) / 8;
  uint64_t mask = how->bits == 64 ? UINT64_MAX : (UINT64_C(1) << how->bits) - 1, old = 0;

  memcpy(&old, at, bytes);
  switch ((enum action)how->action) {
  case STORE_NOTHING:
    return;
  case STORE_ABSOLUTE:
  case STORE_IMAGE_RELATIVE:
    break;
  case STORE_PC_RELATIVE:
    value -= place;
    break;
  case STORE_SUM:
    value = old + value;
    break;
  case STORE_DIFFERENCE:
    value = old - value;
    break;
  case STORE_ULEB:
  case STORE_ULEB_DIFFERENCE:
    CN_UNREACHABLE();
  }
  value = (old & ~mask) | (value & mask);
  memcpy(at, &value, bytes);
}

/* Read the address of symbol `index` in section `table`. `table` may differ from elf->symbols, because dynamic
 * relocations have a separate symbol table. False if the index is out of range. */
static bool read_symbol_value(const struct cn_elf_file *elf, uint32_t table, uint64_t index, uint64_t *value)
{
  Elf64_Sym sym;

  *value = 0;
  if (index == 0)
    return true;
  if (table == elf->symtab && table) {
    if (index >= elf->symbol_count)
      return false;
    *value = cn_elf_symbol_address(elf, &elf->symbols[index]);
    return true;
  }
  if (table >= elf->section_count || !elf->sections[table].data ||
      index >= elf->sections[table].head.sh_size / sizeof sym || elf->head.e_type == ET_REL)
    return false;
  memcpy(&sym, elf->sections[table].data + index * sizeof sym, sizeof sym);
  *value = sym.st_value;
  return true;
}

static int apply_one_relocation(struct cn_elf_file *elf, struct cn_elf_section *section, const Elf64_Rela *r,
                                uint32_t table, size_t at, char **error)
{
  const struct relocation_howto *how = find_howto(elf, (uint32_t)ELF64_R_TYPE(r->r_info));
  uint64_t base = elf->head.e_type == ET_REL ? 0 : section->head.sh_addr, value;

  if (!how || (how->action == STORE_IMAGE_RELATIVE && elf->head.e_type == ET_REL))
    return cn_elf_fail_at_offset(elf, at, "a relocation of unexpected type", error);
  unsigned bytes = (how->bits + 7u) / 8;
  uint64_t offset = r->r_offset - base;
  if (section->head.sh_size < bytes || offset > section->head.sh_size - bytes)
    return cn_elf_fail_at_offset(elf, at, "a relocation beyond the end of its section", error);
  if (!read_symbol_value(elf, table, ELF64_R_SYM(r->r_info), &value))
    return cn_elf_fail_at_offset(elf, at, "a relocation against no symbol", error);
  unsigned char *place = section->data + offset;
  value += (uint64_t)r->r_addend;
  if (how->action != STORE_ULEB && how->action != STORE_ULEB_DIFFERENCE)
    store_relocated_value(place, how, value, section->head.sh_addr + offset);
  else if (!store_relocated_uleb(place, section->head.sh_size - offset, how->action, value))
    return cn_elf_fail_at_offset(elf, at, "a relocation of a number that does not end", error);
  return 0;
}

static int apply_relocations(struct cn_elf_file *elf, const struct cn_elf_section *s, uint32_t target, char **error)
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
      return cn_elf_fail_at_offset(elf, s->head.sh_offset + at, "a relocation without addend", error);
    if (apply_one_relocation(elf, section, &r, s->head.sh_link, s->head.sh_offset + at, error))
      return -1;
  }
  return 0;
}

static int apply_relocation_section(struct cn_elf_file *elf, uint32_t index, uint32_t target, char **error)
{
  const struct cn_elf_section *s = &elf->sections[index], *section = &elf->sections[target];
  size_t header = elf->head.e_shoff + index * sizeof(Elf64_Shdr);

  if (cn_elf_is_packed_relocations(s))
    return cn_elf_fail_at_offset(elf, header, "relocations in a packed form (CREL, Android)", error);
  if (elf->head.e_type == ET_REL && (s->head.sh_link != elf->symtab || !section->data))
    return cn_elf_fail_at_offset(elf, header, "a malformed relocation section", error);
  return section->data ? apply_relocations(elf, s, target, error) : 0;
}

/* Apply the loader's relocations, which lie in loaded sections, as do their targets. Relocations that the linker kept
 * for --emit-relocs are already applied. */
static int apply_loader_relocations(struct cn_elf_file *elf, uint32_t target, char **error)
{
  if (!(elf->sections[target].head.sh_flags & SHF_ALLOC))
    return 0;
  for (uint32_t i = 1; i < elf->section_count; i++) {
    const struct cn_elf_section *s = &elf->sections[i];
    bool speaks = s->head.sh_type == SHT_RELA || s->head.sh_type == SHT_REL || cn_elf_is_packed_relocations(s);
    if (speaks && (s->head.sh_flags & SHF_ALLOC) && apply_relocation_section(elf, i, target, error))
      return -1;
  }
  return 0;
}

int cn_elf_relocate_section(struct cn_elf_file *elf, uint32_t target, char **error)
{
  CN_CHECK(target < elf->section_count);
  struct cn_elf_section *section = &elf->sections[target];

  if (section->relocated)
    return 0;
  section->relocated = true;
  if (elf->head.e_type != ET_REL)
    return apply_loader_relocations(elf, target, error);
  for (uint32_t i = section->relocations; i; i = elf->sections[i].next_relocations)
    if (apply_relocation_section(elf, i, target, error))
      return -1;
  return 0;
}
