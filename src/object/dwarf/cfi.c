/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads call-frame information with libdw, for frames_build.c while an object is rewritten. A stack walk supports only
 * rows of this form; other rows are refused:
 *
 *   CFA = a base of the port + constant;
 *   return address at CFA + constant; where calls push it, just below the CFA;
 *   callee-saved registers unchanged or saved at CFA + constant;
 *   all other general registers unsaved.
 *
 * Of vector registers, only the port's callee-saved ones are read.
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
  const struct cn_frame_port *port;
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
  cfi->port = elf->port->frames;
  if (section && elf->sections[section].data) {
    make_section_progbits(elf, section);
    if (cfi->port->has_link_register)
      cn_cfi_hide_signing(&elf->sections[section]);
    elf_version(EV_CURRENT);
    cfi->elf = elf_memory((char *)elf->bytes, elf->size);
    cfi->cfi = cfi->elf ? dwarf_getcfi_elf(cfi->elf) : NULL;
    if (!cfi->cfi) {
      cn_cfi_close(cfi);
      return CN_FAIL(error, ".eh_frame: %s", dwarf_errmsg(-1));
    }
    cn_cfi_find_undefined_code(cfi->port, &elf->sections[section], &cfi->undefined);
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

/* True if the expression reads the register. */
static bool reads_register(const Dwarf_Op *ops, size_t count, unsigned dwarf)
{
  for (size_t i = 0; i < count; i++)
    if ((ops[i].atom == DW_OP_bregx || ops[i].atom == DW_OP_regx) && ops[i].number == dwarf)
      return true;
  return false;
}

static const char *read_cfa(const struct cn_frame_port *port, Dwarf_Frame *frame, struct cn_safepoint *out)
{
  Dwarf_Op *ops = NULL;
  size_t count = 0;
  bool failed = dwarf_frame_cfa(frame, &ops, &count) != 0;

  if (!failed && reads_register(ops, count, port->scale_register))
    return "its frame has scalable vectors, whose size the stack map does not tell";
  if (failed || count != 1 || ops[0].atom != DW_OP_bregx)
    return "its frame address is not a register and a constant";
  if (cn_port_base_index_of(port, ops[0].number) == CN_PORT_BASE_COUNT)
    return port->other_frame_base;
  int64_t offset = (int64_t)ops[0].number2;
  if (offset < 8 || offset > INT32_MAX || offset % 8)
    return "its frame address is a strange distance away";
  out->cfa_reg = (uint8_t)ops[0].number;
  out->cfa_offset = (int32_t)offset;
  return NULL;
}

/* Read the place of the caller's value of a register. False unless the value is unchanged or in memory at CFA + n. */
static bool read_caller_register_place(const struct cn_frame_port *port, Dwarf_Frame *frame, int dwarf, bool *saved,
                                       int64_t *offset)
{
  Dwarf_Op memory[3], *ops;
  size_t count;

  *offset = 0;
  *saved = false;
  if (dwarf_frame_register(frame, dwarf, memory, &ops, &count))
    return false;
  /* With a count of 0, a null `ops` says that the register is unchanged, and any other `ops` says that it is undefined,
   * like caller-saved registers. libdw 0.188 always reports `mistaken_by_libdw` as undefined;
   * cn_cfi_is_register_undefined() finds the code where the register is really undefined. */
  if (count == 0)
    return !ops || !cn_port_is_tracked(port, (unsigned)dwarf) || dwarf == port->mistaken_by_libdw;
  *saved = true;
  if (count > 2 || ops[0].atom != DW_OP_call_frame_cfa)
    return false;
  if (count == 2 && ops[1].atom != DW_OP_plus_uconst)
    return false;
  if (count == 2)
    *offset = (int64_t)ops[1].number;
  return true;
}

/* Check and note the place of the return address. A call leaves a return address in the link register, so the frame of
 * a call has saved the register. */
static const char *note_return_address(const struct cn_frame_port *port, bool saved, int64_t offset,
                                       struct cn_safepoint *out)
{
  if (!saved && port->has_link_register)
    return "its return address is still in the link register";
  if (!saved || (!port->has_link_register && offset != -port->pushed_bytes) || offset > -8 || offset < INT32_MIN ||
      offset % 8)
    return "its return address is not below its frame address";
  out->return_address_offset = (int32_t)offset;
  return NULL;
}

static const char *read_saved_register(const struct cn_frame_port *port, Dwarf_Frame *frame, int dwarf,
                                       struct cn_safepoint *out)
{
  unsigned reg = cn_port_saved_index_of(port, (unsigned)dwarf);
  bool saved;
  int64_t offset;

  if (!read_caller_register_place(port, frame, dwarf, &saved, &offset))
    return "it keeps a register of its caller in a place other than the frame address and a constant";
  if (dwarf == port->return_address)
    return note_return_address(port, saved, offset, out);
  if (reg == port->saved_count)
    return saved ? "it saves registers that its callers do not expect to be saved" : NULL;
  if (!saved)
    return NULL;
  if (offset > -8 - port->pushed_bytes || offset < INT32_MIN || offset % 8)
    return "it saves a register outside its frame";
  out->saved |= 1u << reg;
  out->saved_offset[reg] = (int32_t)offset;
  return NULL;
}

/* Check that registers have distinct places above the stack pointer. Returns an error or null. */
static const char *check_saved_registers(const struct cn_frame_port *port, const struct cn_safepoint *f)
{
  bool sized = cn_port_is_sp(port, f->cfa_reg);

  CN_CHECK(cn_port_base_index_of(port, f->cfa_reg) < CN_PORT_BASE_COUNT && f->cfa_offset >= 8);
  if (sized && f->return_address_offset < -f->cfa_offset)
    return "it saves its return address outside its frame";
  for (unsigned i = 0; i < port->saved_count; i++) {
    if (!(f->saved >> i & 1))
      continue;
    if (sized && f->saved_offset[i] < -f->cfa_offset)
      return "it saves a register outside its frame";
    if (f->saved_offset[i] == f->return_address_offset)
      return "it saves a register in the place of its return address";
    for (unsigned k = 0; k < i; k++)
      if ((f->saved >> k & 1) && f->saved_offset[i] == f->saved_offset[k])
        return "it saves two registers in one place";
  }
  if (!sized && !(f->saved >> cn_port_tracked_index_of(port, f->cfa_reg) & 1))
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
  const struct cn_frame_port *port = cfi->port;
  Dwarf_Frame *frame;

  CN_CHECK(length > 0 && length <= end && !out->saved);
  if (!cfi->cfi || dwarf_cfi_addrframe(cfi->cfi, end - 1, &frame))
    return "it has no call-frame information (in IR: attribute uwtable)";
  const char *why = check_row_of_call(frame, end, length);
  if (!why && cn_cfi_is_register_undefined(&cfi->undefined, end - 1))
    why = port->may_be_undefined;
  if (!why)
    why = read_cfa(port, frame, out);
  for (int dwarf = 0; !why && dwarf <= port->return_address; dwarf++)
    if (!cn_port_is_sp(port, (uint64_t)dwarf)) /* the stack pointer equals the frame address */
      why = read_saved_register(port, frame, dwarf, out);
  for (unsigned i = port->tracked_count; !why && i < port->saved_count; i++)
    why = read_saved_register(port, frame, port->callee_saved[i], out);
  free(frame);
  return why ? why : check_saved_registers(port, out);
}

/* Called for the distance of the frame address above the stack pointer in one row. True: the visit ends. */
typedef bool sized_row_visitor(uint64_t distance, void *env);

/* Visit the rows of [start, end) whose frame address is based on the stack pointer. True if a visit ended. */
static bool visit_sized_rows(struct cn_cfi *cfi, uint64_t start, uint64_t end, sized_row_visitor *visit, void *env)
{
  struct cn_safepoint row;
  Dwarf_Frame *frame;
  Dwarf_Addr first, next;
  bool is_signal, found = false;

  while (!found && start < end && cfi->cfi && !dwarf_cfi_addrframe(cfi->cfi, start, &frame)) {
    found = !read_cfa(cfi->port, frame, &row) && cn_port_is_sp(cfi->port, row.cfa_reg) &&
            visit((uint64_t)row.cfa_offset, env);
    if (dwarf_frame_info(frame, &first, &next, &is_signal) < 0 || next <= start)
      next = end;
    free(frame);
    CN_CHECK(next > start);
    start = next;
  }
  return found;
}

static bool is_wanted_distance(uint64_t distance, void *env)
{
  return distance == *(const uint64_t *)env;
}

bool cn_cfi_has_frame_offset(struct cn_cfi *cfi, uint64_t start, uint64_t end, uint64_t offset)
{
  return visit_sized_rows(cfi, start, end, is_wanted_distance, &offset);
}

static bool note_larger_distance(uint64_t distance, void *env)
{
  uint64_t *largest = env;

  if (distance > *largest)
    *largest = distance;
  return false;
}

uint64_t cn_cfi_largest_frame(struct cn_cfi *cfi, uint64_t start, uint64_t end)
{
  uint64_t largest = 0;

  visit_sized_rows(cfi, start, end, note_larger_distance, &largest);
  return largest;
}
