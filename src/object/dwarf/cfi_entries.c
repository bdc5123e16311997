/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads entries of .eh_frame and their instructions, where libdw gives only the bytes. cfi_undefined.c and
 * exception_table.c use it while an object is rewritten. The bytes are input: each read is compared with the end of its
 * entry. Changes nothing, and holds no state.
 */
#include "object/dwarf/cfi_entries.h"

#include <dwarf.h>
#include <string.h>
#include "base/check.h"

unsigned cn_eh_pointer_size(unsigned encoding)
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

static bool is_supported_pointer(unsigned encoding)
{
  unsigned base = encoding & 0xf0;

  return cn_eh_pointer_size(encoding) && (base == DW_EH_PE_absptr || base == DW_EH_PE_pcrel);
}

static uint64_t load_pointer(const unsigned char *at, unsigned encoding)
{
  if (cn_eh_pointer_size(encoding) == 8)
    return cn_load_u64(at);
  uint32_t value = cn_load_little_endian(at, 4);
  return encoding & DW_EH_PE_signed ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* A pointer of zeros is null in every encoding. */
bool cn_eh_read_pointer(const struct cn_elf_section *s, struct cn_byte_cursor *b, unsigned encoding, uint64_t *value)
{
  const unsigned char *at = b->at;

  CN_CHECK(is_supported_pointer(encoding));
  if (!cn_byte_cursor_skip(b, cn_eh_pointer_size(encoding)))
    return false;
  *value = load_pointer(at, encoding);
  if (*value && (encoding & DW_EH_PE_pcrel))
    *value += s->head.sh_addr + (uint64_t)(at - s->data);
  return true;
}

/* ---- entries ---- */

/* Read the encodings of code addresses and of exception tables in the entries of a CIE. `*table` is DW_EH_PE_omit if
 * the entries lack exception tables. False if the augmentation has unknown letters or encodings. */
static bool read_encodings(const Dwarf_CIE *cie, unsigned *code, unsigned *table)
{
  struct cn_byte_cursor b = {cie->augmentation_data, cie->augmentation_data};
  const char *letter = cie->augmentation;

  *code = DW_EH_PE_absptr;
  *table = DW_EH_PE_omit;
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
      *code = byte;
    else if (*letter == 'L')
      *table = byte;
    else if (*letter != 'P' || !cn_eh_pointer_size(byte) || !cn_byte_cursor_skip(&b, cn_eh_pointer_size(byte)))
      return false;
  }
  return is_supported_pointer(*code);
}

/* Read the code range and the exception table of an entry, whose instructions follow. False if the form is unknown. */
static bool read_head(const struct cn_elf_section *s, const Dwarf_CIE *cie, unsigned table, struct cn_cfi_entry *out)
{
  struct cn_byte_cursor *b = &out->instructions;
  uint64_t length = 0;

  if (!cn_eh_read_pointer(s, b, out->encoding, &out->code.start) ||
      !cn_eh_read_pointer(s, b, out->encoding & 0x07, &out->code.size)) /* sizes are unsigned */
    return false;
  if (!*cie->augmentation)
    return true;
  if (!cn_byte_cursor_read_uleb(b, &length))
    return false;
  struct cn_byte_cursor data = {b->at, b->at};
  if (!cn_byte_cursor_skip(b, length))
    return false;
  data.end += length;
  if (table == DW_EH_PE_omit)
    return true;
  out->table = CN_CFI_UNKNOWN_TABLE;
  return !is_supported_pointer(table) || cn_eh_read_pointer(s, &data, table, &out->table);
}

static bool read_entry(const struct cn_elf_section *s, Elf_Data *data, const unsigned char *ident, const Dwarf_FDE *fde,
                       struct cn_cfi_entry *out)
{
  Dwarf_CFI_Entry entry;
  Dwarf_Off next;
  unsigned table;

  *out = (struct cn_cfi_entry){.instructions = {fde->start, fde->end}};
  if (dwarf_next_cfi(ident, data, true, fde->CIE_pointer, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry) ||
      !read_encodings(&entry.cie, &out->encoding, &table) || !read_head(s, &entry.cie, table, out))
    return false;
  out->code_alignment = entry.cie.code_alignment_factor;
  out->initial = (struct cn_byte_cursor){entry.cie.initial_instructions, entry.cie.initial_instructions_end};
  return true;
}

void cn_cfi_visit_entries(const struct cn_elf_section *eh_frame, cn_cfi_entry_visitor *visit, void *env)
{
  static const unsigned char ident[EI_NIDENT] = {
      [EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB, [EI_VERSION] = EV_CURRENT};
  Elf_Data data = {.d_buf = eh_frame->data, .d_size = eh_frame->head.sh_size};
  struct cn_cfi_entry out;
  Dwarf_CFI_Entry entry;
  Dwarf_Off next = 0;

  /* Skip a malformed entry if libdw gives the next entry, because libdw also finds no function in the malformed entry.
   * Otherwise libdw finds no function in the remaining entries. */
  for (Dwarf_Off at = 0;; at = next) {
    int status = dwarf_next_cfi(ident, &data, true, at, &next, &entry);
    if (status > 0 || next <= at)
      break;
    if (status == 0 && !dwarf_cfi_cie_p(&entry))
      visit(read_entry(eh_frame, &data, ident, &entry.fde, &out) ? &out : NULL, env);
  }
}

/* ---- instructions ---- */

const char *cn_cfi_operands_of(unsigned opcode)
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

bool cn_cfi_skip_operand(struct cn_byte_cursor *b, char operand, unsigned encoding, uint64_t *value)
{
  const unsigned char *at = b->at;
  unsigned bytes = (unsigned)(operand - '0');

  *value = 0;
  switch (operand) {
  case 'u':
  case 'r':
    return cn_byte_cursor_read_uleb(b, value);
  case 'b':
    return cn_byte_cursor_read_uleb(b, value) && cn_byte_cursor_skip(b, *value);
  case 'p':
    return cn_eh_pointer_size(encoding) && cn_byte_cursor_skip(b, cn_eh_pointer_size(encoding));
  default:
    CN_CHECK(operand >= '1' && operand <= '8');
    if (!cn_byte_cursor_skip(b, bytes))
      return false;
    for (unsigned i = 0; i < bytes; i++)
      *value |= (uint64_t)at[i] << 8 * i;
    return true;
  }
}

/* Read one instruction with its operands. The code addresses of later instructions begin `*advance` factors further. A
 * set location is refused. */
static bool read_instruction(struct cn_byte_cursor *b, unsigned encoding, uint64_t *advance, uint64_t *args_size)
{
  unsigned opcode = *b->at++;
  uint64_t value = 0;

  *advance = 0;
  if (opcode >> 6) {
    if ((opcode & 0xc0) == DW_CFA_advance_loc)
      *advance = opcode & 0x3f;
    return (opcode & 0xc0) != DW_CFA_offset || cn_byte_cursor_read_uleb(b, &value);
  }
  const char *operands = cn_cfi_operands_of(opcode);
  if (!operands || opcode == DW_CFA_set_loc)
    return false;
  for (; *operands; operands++)
    if (!cn_cfi_skip_operand(b, *operands, encoding, &value))
      return false;
  if (opcode == DW_CFA_GNU_args_size)
    *args_size = value;
  else if (opcode == DW_CFA_advance_loc1 || opcode == DW_CFA_advance_loc2 || opcode == DW_CFA_advance_loc4 ||
           opcode == DW_CFA_MIPS_advance_loc8)
    *advance = value;
  return true;
}

bool cn_cfi_find_args_size(const struct cn_cfi_entry *entry, uint64_t address, uint64_t *bytes)
{
  struct cn_byte_cursor b = entry->instructions;
  uint64_t at = entry->code.start, advance, size = 0;

  CN_CHECK(address - at < entry->code.size);
  *bytes = 0;
  while (b.at < b.end) {
    if (!read_instruction(&b, entry->encoding, &advance, &size))
      return false;
    if (advance > (address - at) / (entry->code_alignment ? entry->code_alignment : 1))
      break; /* the instructions that follow are of later code */
    at += advance * entry->code_alignment;
    *bytes = size;
  }
  return true;
}
