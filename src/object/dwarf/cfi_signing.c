/* SPDX-License-Identifier: Apache-2.0
 *
 * Hides instructions of call-frame information that say if the return address is signed. libdw 0.188 takes the first of
 * them for an instruction of another machine, which gives places to all registers, and refuses the others. A stack walk
 * needs none of them: it removes the signature of each return address, and an unsigned address has no signature. The
 * instructions are of the ports with a link register. Runs when cfi.c opens an object, changes the private copy of
 * .eh_frame, and holds no state.
 */
#include "object/dwarf/cfi_entries.h"

#include <dwarf.h>
#include <string.h>

/* Missing in <dwarf.h>. */
enum { SET_RA_STATE = 0x2b, NEGATE_RA_STATE_WITH_PC = 0x2c, NEGATE_RA_STATE = 0x2d };

static bool tells_of_signing(unsigned opcode)
{
  return opcode == SET_RA_STATE || opcode == NEGATE_RA_STATE_WITH_PC || opcode == NEGATE_RA_STATE;
}

/* Replace the instructions by no-ops. Instructions after an unknown one stay: libdw or cfi_undefined.c refuses them. */
static void hide_in(const struct cn_elf_section *section, struct cn_byte_cursor b, unsigned encoding)
{
  uint64_t value;

  while (b.at < b.end) {
    const unsigned char *start = b.at;
    unsigned opcode = *b.at++;
    const char *operands = opcode == SET_RA_STATE ? "uu" : tells_of_signing(opcode) ? "" : cn_cfi_operands_of(opcode);
    if (opcode >> 6)
      operands = (opcode & 0xc0) == DW_CFA_offset ? "u" : "";
    if (!operands)
      return;
    for (; *operands; operands++)
      if (!cn_cfi_skip_operand(&b, *operands, encoding, &value))
        return;
    if (tells_of_signing(opcode))
      memset(section->data + (start - section->data), DW_CFA_nop, (size_t)(b.at - start));
  }
}

static void hide_in_entry(const struct cn_cfi_entry *entry, void *env)
{
  const struct cn_elf_section *section = env;

  if (!entry)
    return;
  hide_in(section, entry->initial, entry->encoding);
  hide_in(section, entry->instructions, entry->encoding);
}

void cn_cfi_hide_signing(struct cn_elf_section *eh_frame)
{
  cn_cfi_visit_entries(eh_frame, hide_in_entry, eh_frame);
}
