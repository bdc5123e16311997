/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the parts of .eh_frame that libdw does not decode: the code range and the exception table of an entry, and
 * single instructions ("DWARF Debugging Information Format", Call Frame Instruction Encodings; the psABI for the
 * entries of .eh_frame). Private to src/object/dwarf.
 */
#ifndef CN_OBJECT_DWARF_CFI_ENTRIES_H
#define CN_OBJECT_DWARF_CFI_ENTRIES_H

#include <elfutils/libdw.h>
#include "framemap/leb.h"
#include "object/dwarf/cfi.h"

struct cn_byte_cursor {
  const unsigned char *at, *end;
};

static inline bool cn_byte_cursor_skip(struct cn_byte_cursor *b, uint64_t count)
{
  if (count > (uint64_t)(b->end - b->at))
    return false;
  b->at += count;
  return true;
}

static inline bool cn_byte_cursor_read_uleb(struct cn_byte_cursor *b, uint64_t *value)
{
  return cn_uleb_get(&b->at, b->end, value);
}

/* The width of a pointer of this encoding (DW_EH_PE_...), or 0 for encodings that compilers never use for code. */
unsigned cn_eh_pointer_size(unsigned encoding);

/* Read a pointer within the section, whose encoding has a size and is absolute or relative to its place. False: the
 * cursor ends before. */
bool cn_eh_read_pointer(const struct cn_elf_section *section, struct cn_byte_cursor *b, unsigned encoding,
                        uint64_t *value);

#define CN_CFI_UNKNOWN_TABLE UINT64_MAX

/* An entry of a function. */
struct cn_cfi_entry {
  struct cn_code_range code;
  uint64_t table;          /* address of the exception table (LSDA), 0, or CN_CFI_UNKNOWN_TABLE: its form is unknown */
  uint64_t code_alignment; /* factor of advances */
  unsigned encoding;       /* of code addresses */
  struct cn_byte_cursor initial, instructions;
};

/* Called for each entry of a function. `entry` is null if the form of the entry is unknown. */
typedef void cn_cfi_entry_visitor(const struct cn_cfi_entry *entry, void *env);

/* Visit all entries of a relocated .eh_frame that libdw finds. */
void cn_cfi_visit_entries(const struct cn_elf_section *eh_frame, cn_cfi_entry_visitor *visit, void *env);

/* The operands of an instruction. A digit is a number of bytes, u a number, r a register's number, b a block, p a
 * pointer. Null for unknown instructions. */
const char *cn_cfi_operands_of(unsigned opcode);

/* Skip an operand of one of these letters. `*value` gets the value of u, r and digits. False: the operand is
 * truncated. */
bool cn_cfi_skip_operand(struct cn_byte_cursor *b, char operand, unsigned encoding, uint64_t *value);

/* The bytes of arguments on the stack at `address` in the entry's code, which a landing pad expects to be removed
 * (DW_CFA_GNU_args_size). False: the entry has unknown instructions. */
bool cn_cfi_find_args_size(const struct cn_cfi_entry *entry, uint64_t address, uint64_t *bytes);

#endif
