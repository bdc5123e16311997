/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds code with an undefined callee-saved register `mistaken_by_libdw` of the port. libdw 0.188 treats this register
 * as caller-saved, and reports it as undefined if call-frame information has no rule for the register, so that a real
 * .cfi_undefined gives the same result. Without this file, a stack walk would treat the caller's value as preserved.
 * The file therefore reads the instructions of the call-frame information ("DWARF Debugging Information Format", Call
 * Frame Instruction Encodings; the psABI for the entries of .eh_frame). One DW_CFA_undefined of the register counts for
 * the whole function, so the other instructions need no evaluation. Runs when cfi.c opens an object, changes nothing,
 * and holds no state.
 */
#include "object/dwarf/cfi_entries.h"

#include <dwarf.h>
#include "base/check.h"

struct undefined_search {
  const struct cn_frame_port *port;
  struct cn_code_ranges *out;
};

/* True if all instructions are known, and the register stays defined. */
static bool keeps_register_defined(const struct cn_frame_port *port, struct cn_byte_cursor b, unsigned encoding)
{
  uint64_t value;

  while (b.at < b.end) {
    unsigned opcode = *b.at++;
    if (opcode >> 6) {
      if ((opcode & 0xc0) == DW_CFA_offset && !cn_byte_cursor_read_uleb(&b, &value))
        return false;
      continue;
    }
    const char *operands = cn_cfi_operands_of(opcode);
    if (!operands)
      return false;
    for (; *operands; operands++)
      if (!cn_cfi_skip_operand(&b, *operands, encoding, &value) ||
          (*operands == 'r' && value == port->mistaken_by_libdw))
        return false;
  }
  return true;
}

/* Add the entry's function if it may lose the register; all code if the function is unknown. */
static void add_undefined_code(const struct cn_cfi_entry *entry, void *env)
{
  const struct undefined_search *search = env;

  if (!entry)
    cn_push(&search->out->list, (struct cn_code_range){0, UINT64_MAX});
  else if (!keeps_register_defined(search->port, entry->initial, entry->encoding) ||
           !keeps_register_defined(search->port, entry->instructions, entry->encoding))
    cn_push(&search->out->list, entry->code);
}

void cn_cfi_find_undefined_code(const struct cn_frame_port *port, const struct cn_elf_section *eh_frame,
                                struct cn_code_ranges *out)
{
  struct undefined_search search = {port, out};

  cn_cfi_visit_entries(eh_frame, add_undefined_code, &search);
}

bool cn_cfi_is_register_undefined(const struct cn_code_ranges *ranges, uint64_t address)
{
  for (size_t i = 0; i < ranges->list.count; i++)
    if (address - ranges->list.at[i].start < ranges->list.at[i].size)
      return true;
  return false;
}
