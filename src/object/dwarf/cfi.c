/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads call-frame information with libdw, for frames_build.c while an object is rewritten. A stack walk supports only
 * rows of this form; other rows are refused:
 *
 *   CFA = a base (cn_port_base_registers) + constant;
 *   return address at CFA - 8;
 *   callee-saved registers unchanged or saved at CFA + constant;
 *   all other general registers unsaved.
 *
 * struct cn_cfi owns libdw's handles. In the object's private copy, .eh_frame is relocated and gets a type that libdw
 * reads. Errors are returned as text.
 */
#include "object/dwarf/cfi.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <elfutils/libdw.h>
#include "base/check.h"

struct cn_cfi {
  Elf *elf;       /* a view of the copy with assigned addresses */
  Dwarf_CFI *cfi; /* null if .eh_frame is missing */
  struct cn_code_ranges undefined;
};

/* Change the type of .eh_frame to SHT_PROGBITS, because libdw 0.188 ignores sections of the psABI's type, which LLVM
 * uses. */
static void make_section_progbits(struct cn_elf_file *elf, uint32_t section)
{
  Elf64_Shdr *head = &elf->sections[section].head;

  head->sh_type = SHT_PROGBITS;
  memcpy(elf->bytes + elf->head.e_shoff + section * sizeof *head, head, sizeof *head);
}

int cn_cfi_open(struct cn_cfi **out, struct cn_elf_file *elf, char **error)
{
  uint32_t section = cn_elf_find_section(elf, ".eh_frame", 0);

  *out = NULL;
  if (section && cn_elf_find_section(elf, ".eh_frame", section + 1))
    return CN_FAIL(error, "more than one section .eh_frame");
  if (section && cn_elf_relocate_section(elf, section, error))
    return -1;
  struct cn_cfi *cfi = cn_alloc(sizeof *cfi);
  if (section && elf->sections[section].data) {
    make_section_progbits(elf, section);
    elf_version(EV_CURRENT);
    cfi->elf = elf_memory((char *)elf->bytes, elf->size);
    cfi->cfi = cfi->elf ? dwarf_getcfi_elf(cfi->elf) : NULL;
    if (!cfi->cfi) {
      cn_cfi_close(cfi);
      return CN_FAIL(error, ".eh_frame: %s", dwarf_errmsg(-1));
    }
    cn_cfi_find_undefined_code(&elf->sections[section], &cfi->undefined);
  }
  *out = cfi;
  return 0;
}

void cn_cfi_close(struct cn_cfi *cfi)
{
  if (!cfi)
    return;
  if (cfi->cfi)
    dwarf_cfi_end(cfi->cfi);
  if (cfi->elf)
    elf_end(cfi->elf);
  cn_free(&cfi->undefined.list);
  free(cfi);
}

static const char *read_cfa(Dwarf_Frame *frame, struct cn_safepoint *out)
{
  Dwarf_Op *ops;
  size_t count;

  if (dwarf_frame_cfa(frame, &ops, &count) || count != 1 || ops[0].atom != DW_OP_bregx)
    return "its frame address is not a register and a constant";
  if (cn_port_base_index_of(ops[0].number) == CN_PORT_BASE_COUNT)
    return "its frame address is based on another register than " CN_PORT_BASE_NAMES;
  int64_t offset = (int64_t)ops[0].number2;
  if (offset < 8 || offset > INT32_MAX || offset % 8)
    return "its frame address is a strange distance away";
  out->cfa_reg = (uint8_t)ops[0].number;
  out->cfa_offset = (int32_t)offset;
  return NULL;
}

/* Read the place of the caller's value of a register. False unless the value is unchanged or in memory at CFA + n. */
static bool read_caller_register_place(Dwarf_Frame *frame, int dwarf, bool *saved, int64_t *offset)
{
  Dwarf_Op memory[3], *ops;
  size_t count;

  *offset = 0;
  *saved = false;
  if (dwarf_frame_register(frame, dwarf, memory, &ops, &count))
    return false;
  /* With a count of 0, a null `ops` says that the register is unchanged, and any other `ops` says that it is undefined,
   * like caller-saved registers. libdw 0.188 always reports CN_DWARF_MISTAKEN_BY_LIBDW as undefined;
   * cn_cfi_is_register_undefined() finds the code where the register is really undefined. */
  if (count == 0)
    return !ops || cn_port_tracked_register_of((unsigned)dwarf) == CN_CALLEE_SAVED_COUNT ||
           dwarf == CN_DWARF_MISTAKEN_BY_LIBDW;
  *saved = true;
  if (count > 2 || ops[0].atom != DW_OP_call_frame_cfa)
    return false;
  if (count == 2 && ops[1].atom != DW_OP_plus_uconst)
    return false;
  if (count == 2)
    *offset = (int64_t)ops[1].number;
  return true;
}

static const char *read_saved_register(Dwarf_Frame *frame, int dwarf, struct cn_safepoint *out)
{
  CN_CHECK(dwarf >= 0 && dwarf <= CN_DWARF_RETURN_ADDRESS);
  unsigned reg = cn_port_tracked_register_of((unsigned)dwarf);
  bool saved;
  int64_t offset;

  if (!read_caller_register_place(frame, dwarf, &saved, &offset))
    return "it keeps a register of its caller in a place other than the frame address and a constant";
  if (dwarf == CN_DWARF_RETURN_ADDRESS)
    return saved && offset == -8 ? NULL : "its return address is not below its frame address";
  if (reg == CN_CALLEE_SAVED_COUNT)
    return saved ? "it saves registers that its callers do not expect to be saved" : NULL;
  if (!saved)
    return NULL;
  if (offset > -16 || offset < INT32_MIN || offset % 8)
    return "it saves a register outside its frame";
  out->saved |= (uint8_t)(1u << reg);
  out->saved_offset[reg] = (int32_t)offset;
  return NULL;
}

/* Check that registers have distinct places above the stack pointer. Returns an error or null. */
static const char *check_saved_registers(const struct cn_safepoint *f)
{
  CN_CHECK(cn_port_base_index_of(f->cfa_reg) < CN_PORT_BASE_COUNT && f->cfa_offset >= 8);
  for (unsigned i = 0; i < CN_CALLEE_SAVED_COUNT; i++) {
    if (!(f->saved >> i & 1))
      continue;
    if (f->cfa_reg == CN_DWARF_SP && f->saved_offset[i] < -f->cfa_offset)
      return "it saves a register outside its frame";
    for (unsigned k = 0; k < i; k++)
      if ((f->saved >> k & 1) && f->saved_offset[i] == f->saved_offset[k])
        return "it saves two registers in one place";
  }
  if (f->cfa_reg != CN_DWARF_SP && !(f->saved >> cn_port_tracked_register_of(f->cfa_reg) & 1))
    return "its frame address is based on a register that it has not saved";
  return NULL;
}

/* An error unless the row of the instruction's last byte covers the whole instruction and is no row of a signal
 * handler; else null. */
static const char *check_row_of_call(Dwarf_Frame *frame, uint64_t end, unsigned length)
{
  Dwarf_Addr first;
  bool is_signal;

  if (dwarf_frame_info(frame, &first, NULL, &is_signal) < 0 || is_signal)
    return "its call-frame information is not a call's";
  return first > end - length ? "its call-frame information changes within the call" : NULL;
}

const char *cn_cfi_read_row(struct cn_cfi *cfi, uint64_t end, unsigned length, struct cn_safepoint *out)
{
  Dwarf_Frame *frame;

  CN_CHECK(length > 0 && length <= end && !out->saved);
  if (!cfi->cfi || dwarf_cfi_addrframe(cfi->cfi, end - 1, &frame))
    return "it has no call-frame information (in IR: attribute uwtable)";
  const char *why = check_row_of_call(frame, end, length);
  if (!why && cn_cfi_is_register_undefined(&cfi->undefined, end - 1))
    why = "its caller's " CN_PORT_MISTAKEN_NAME " may be undefined";
  if (!why)
    why = read_cfa(frame, out);
  for (int dwarf = 0; !why && dwarf <= CN_DWARF_RETURN_ADDRESS; dwarf++)
    if (dwarf != CN_DWARF_SP) /* the stack pointer equals the frame address */
      why = read_saved_register(frame, dwarf, out);
  free(frame);
  return why ? why : check_saved_registers(out);
}

bool cn_cfi_has_frame_offset(struct cn_cfi *cfi, uint64_t start, uint64_t end, uint64_t offset)
{
  struct cn_safepoint row;
  Dwarf_Frame *frame;
  Dwarf_Addr first, next;
  bool is_signal, found = false;

  while (!found && start < end && cfi->cfi && !dwarf_cfi_addrframe(cfi->cfi, start, &frame)) {
    found = !read_cfa(frame, &row) && row.cfa_reg == CN_DWARF_SP && (uint64_t)row.cfa_offset == offset;
    if (dwarf_frame_info(frame, &first, &next, &is_signal) < 0 || next <= start)
      next = end;
    free(frame);
    CN_CHECK(next > start);
    start = next;
  }
  return found;
}
