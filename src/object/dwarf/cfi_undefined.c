/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds code with an undefined callee-saved register CN_DWARF_MISTAKEN_BY_LIBDW. libdw 0.188 treats this register as
 * caller-saved, and reports it as undefined if call-frame information has no rule for the register, so that a real
 * .cfi_undefined gives the same result. Without this file, a stack walk would treat the caller's value as preserved.
 * The file therefore reads the instructions of the call-frame information ("DWARF Debugging Information Format", Call
 * Frame Instruction Encodings; the psABI for the entries of .eh_frame). One DW_CFA_undefined of the register counts for
 * the whole function, so the other instructions need no evaluation. Runs when cfi.c opens an object, changes nothing,
 * and holds no state.
 */
#include "object/dwarf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>
#include "base/check.h"
#include "framemap/leb.h"

struct byte_cursor {
  const unsigned char *at, *end;
};

static bool skip_bytes(struct byte_cursor *b, uint64_t count)
{
  if (count > (uint64_t)(b->end - b->at))
    return false;
  b->at += count;
  return true;
}

static bool read_uleb(struct byte_cursor *b, uint64_t *value)
{
  return cn_uleb_get(&b->at, b->end, value);
}

/* The width of a pointer of this encoding, or 0 for encodings that compilers never use for code. */
static unsigned pointer_size_of(unsigned encoding)
{
  switch (encoding & 0x0f) {
  case DW_EH_PE_absptr:
  case DW_EH_PE_udata8:
  case DW_EH_PE_sdata8:
    return 8;
  case DW_EH_PE_udata4:
  case DW_EH_PE_sdata4:
    return 4;
  default:
    return 0;
  }
}

/* The operands of an instruction. A digit is a number of bytes, u a number, r a register's number, b a block, p a
 * pointer. Null for unknown instructions. */
static const char *operand_letters_of(unsigned opcode)
{
  switch (opcode) {
  case DW_CFA_nop:
  case DW_CFA_remember_state:
  case DW_CFA_restore_state:
  case DW_CFA_GNU_window_save:
    return "";
  case DW_CFA_set_loc:
    return "p";
  case DW_CFA_advance_loc1:
    return "1";
  case DW_CFA_advance_loc2:
    return "2";
  case DW_CFA_advance_loc4:
    return "4";
  case DW_CFA_MIPS_advance_loc8:
    return "8";
  case DW_CFA_undefined:
    return "r";
  case DW_CFA_restore_extended:
  case DW_CFA_same_value:
  case DW_CFA_def_cfa_register:
  case DW_CFA_def_cfa_offset:
  case DW_CFA_def_cfa_offset_sf:
  case DW_CFA_GNU_args_size:
    return "u";
  case DW_CFA_offset_extended:
  case DW_CFA_register:
  case DW_CFA_def_cfa:
  case DW_CFA_offset_extended_sf:
  case DW_CFA_def_cfa_sf:
  case DW_CFA_val_offset:
  case DW_CFA_val_offset_sf:
  case DW_CFA_GNU_negative_offset_extended:
    return "uu";
  case DW_CFA_def_cfa_expression:
    return "b";
  case DW_CFA_expression:
  case DW_CFA_val_expression:
    return "ub";
  default:
    return NULL;
  }
}

/* Skip one operand. False if the operand is truncated, or if it makes CN_DWARF_MISTAKEN_BY_LIBDW undefined. */
static bool skip_operand(struct byte_cursor *b, char operand, unsigned encoding)
{
  uint64_t value;

  switch (operand) {
  case 'u':
    return read_uleb(b, &value);
  case 'r':
    return read_uleb(b, &value) && value != CN_DWARF_MISTAKEN_BY_LIBDW;
  case 'b':
    return read_uleb(b, &value) && skip_bytes(b, value);
  case 'p':
    return pointer_size_of(encoding) && skip_bytes(b, pointer_size_of(encoding));
  default:
    CN_CHECK(operand >= '1' && operand <= '8');
    return skip_bytes(b, (unsigned)(operand - '0'));
  }
}

/* True if this file supports all instructions, and CN_DWARF_MISTAKEN_BY_LIBDW stays defined. */
static bool keeps_register_defined(struct byte_cursor b, unsigned encoding)
{
  uint64_t value;

  while (b.at < b.end) {
    unsigned opcode = *b.at++;
    if (opcode >> 6) {
      if ((opcode & 0xc0) == DW_CFA_offset && !read_uleb(&b, &value))
        return false;
      continue;
    }
    const char *operands = operand_letters_of(opcode);
    if (!operands)
      return false;
    for (; *operands; operands++)
      if (!skip_operand(&b, *operands, encoding))
        return false;
  }
  return true;
}

/* Read the encoding of code addresses in the entries of a CIE. False if the augmentation has unknown letters or
 * encodings. */
static bool read_pointer_encoding(const Dwarf_CIE *cie, unsigned *encoding)
{
  struct byte_cursor b = {cie->augmentation_data, cie->augmentation_data};
  const char *letter = cie->augmentation;

  *encoding = DW_EH_PE_absptr;
  if (!*letter)
    return true;
  if (*letter++ != 'z' || !b.at)
    return false;
  b.end += cie->augmentation_data_size;
  for (; *letter; letter++) {
    if (*letter == 'S' || *letter == 'B')
      continue;
    if (b.at == b.end)
      return false;
    unsigned byte = *b.at++;
    if (*letter == 'R')
      *encoding = byte;
    else if (*letter == 'P' ? !pointer_size_of(byte) || !skip_bytes(&b, pointer_size_of(byte)) : *letter != 'L')
      return false;
  }
  unsigned base = *encoding & 0xf0;
  return pointer_size_of(*encoding) && (base == DW_EH_PE_absptr || base == DW_EH_PE_pcrel);
}

static uint64_t load_encoded_pointer(const unsigned char *at, unsigned encoding)
{
  if (pointer_size_of(encoding) == 8)
    return cn_load_u64(at);
  uint32_t value = cn_load_little_endian(at, 4);
  return encoding & DW_EH_PE_signed ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* Read the code range of an entry, and set `b` to the entry's instructions. False if the form is unknown. */
static bool read_code_range(const struct cn_elf_section *s, struct byte_cursor *b, const Dwarf_CIE *cie,
                            unsigned encoding, struct cn_code_range *out)
{
  unsigned size = pointer_size_of(encoding);
  CN_CHECK(size != 0); /* read_pointer_encoding() refuses others */
  const unsigned char *at = b->at;
  uint64_t length = 0;

  if (!skip_bytes(b, 2 * size) || (*cie->augmentation && (!read_uleb(b, &length) || !skip_bytes(b, length))))
    return false;
  out->start = load_encoded_pointer(at, encoding);
  if (encoding & DW_EH_PE_pcrel)
    out->start += s->head.sh_addr + (uint64_t)(at - s->data);
  out->size = load_encoded_pointer(at + size, encoding & 0x07); /* sizes are unsigned */
  return true;
}

/* True if the entry's function may lose the register. If so, sets `out` to the function's code. */
static bool may_lose_register(const struct cn_elf_section *s, Elf_Data *data, const unsigned char *ident,
                              const Dwarf_FDE *fde, struct cn_code_range *out)
{
  Dwarf_CFI_Entry entry;
  Dwarf_Off next;
  unsigned encoding;
  struct byte_cursor b = {fde->start, fde->end};

  *out = (struct cn_code_range){0, UINT64_MAX};
  if (dwarf_next_cfi(ident, data, true, fde->CIE_pointer, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry) ||
      !read_pointer_encoding(&entry.cie, &encoding) || !read_code_range(s, &b, &entry.cie, encoding, out))
    return true;
  struct byte_cursor initial = {entry.cie.initial_instructions, entry.cie.initial_instructions_end};
  return !keeps_register_defined(initial, encoding) || !keeps_register_defined(b, encoding);
}

void cn_cfi_find_undefined_code(const struct cn_elf_section *eh_frame, struct cn_code_ranges *out)
{
  static const unsigned char ident[EI_NIDENT] = {
      [EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB, [EI_VERSION] = EV_CURRENT};
  Elf_Data data = {.d_buf = eh_frame->data, .d_size = eh_frame->head.sh_size};
  struct cn_code_range range;
  Dwarf_CFI_Entry entry;
  Dwarf_Off next = 0;

  /* Skip a malformed entry if libdw gives the next entry, because libdw also finds no function in the malformed entry.
   * Otherwise libdw finds no function in the remaining entries. */
  for (Dwarf_Off at = 0;; at = next) {
    int status = dwarf_next_cfi(ident, &data, true, at, &next, &entry);
    if (status > 0 || next <= at)
      break;
    if (status == 0 && !dwarf_cfi_cie_p(&entry) && may_lose_register(eh_frame, &data, ident, &entry.fde, &range))
      cn_push(&out->list, range);
  }
}

bool cn_cfi_is_register_undefined(const struct cn_code_ranges *ranges, uint64_t address)
{
  for (size_t i = 0; i < ranges->list.count; i++)
    if (address - ranges->list.at[i].start < ranges->list.at[i].size)
      return true;
  return false;
}
