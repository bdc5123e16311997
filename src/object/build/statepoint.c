/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the places of values in one statepoint's record, and finds the registers that the callee preserves. A callee of
 * an unknown calling convention preserves no register. Runs for each safepoint that frames_build.c reads, changes
 * nothing, and holds no state.
 */
#include "object/build/statepoint.h"

#include <cairn/abi.h>
#include "base/check.h"

/* LLVM's numbers of four calling conventions. */
enum { CONVENTION_PRESERVE_ALL = 15, CONVENTION_TAIL = 18, CONVENTION_SWIFT_TAIL = 20, CONVENTION_PRESERVE_NONE = 21 };

/* Find the register's value relative to the frame address. False if the value is unknown. In a frame with a frame
 * pointer, LLVM bases a place on the stack pointer only if the call pushes no arguments. */
static bool find_register_distance(const struct cn_statepoint_record *r, unsigned reg, int64_t *distance)
{
  if (reg == r->frame->cfa_reg)
    *distance = -(int64_t)r->frame->cfa_offset;
  else if (reg == CN_DWARF_SP && r->stack_size <= INT32_MAX)
    *distance = -(int64_t)r->stack_size - 8;
  else
    return false;
  return true;
}

struct cairn_stackmap_location cn_record_rebase_location(const struct cn_statepoint_record *r,
                                                         struct cairn_stackmap_location l)
{
  int64_t pointer, base;
  uint64_t convention = r->statepoint.calling_convention;

  if ((convention != CONVENTION_TAIL && convention != CONVENTION_SWIFT_TAIL) || r->frame->cfa_reg == CN_DWARF_SP ||
      l.reg != CN_DWARF_SP || l.offset < 0 || (l.kind != CAIRN_STACKMAP_INDIRECT && l.kind != CAIRN_STACKMAP_DIRECT) ||
      !find_register_distance(r, CN_DWARF_SP, &pointer) || !find_register_distance(r, r->frame->cfa_reg, &base))
    return l;
  int64_t offset = l.offset + pointer - base;
  if (offset >= INT32_MIN && offset <= INT32_MAX) {
    l.reg = r->frame->cfa_reg;
    l.offset = (int32_t)offset;
  }
  return l;
}

struct cairn_stackmap_location cn_record_location_at(const struct cn_statepoint_record *r, uint32_t index)
{
  CN_CHECK(index < r->record->locations);
  return cn_record_rebase_location(r, cairn_stackmap_location(r->map, r->record, index));
}

/* True for LLVM's calling conventions whose callees save the callee-saved registers of C: C, fast, cold, any register,
 * preserve_most, preserve_all, swift, C++ thread-local, tail, guard check, swifttail; Intel's OpenCL, SysV, Win64,
 * vectorcall and regcall. Callees of other conventions, such as ghccc, save fewer registers. */
static bool convention_keeps_callee_saved(uint64_t convention)
{
  static const uint8_t known[] = {
      0, 8, 9, 13, 14, CONVENTION_PRESERVE_ALL, 16, 17, CONVENTION_TAIL, 19, CONVENTION_SWIFT_TAIL, 77, 78, 79, 80, 92};

  for (size_t i = 0; i < sizeof known; i++)
    if (known[i] == convention)
      return true;
  return false;
}

enum cn_keeps cn_record_keeps_register(const struct cn_statepoint_record *r, unsigned reg)
{
  uint64_t convention = r->statepoint.calling_convention;
  bool kept = convention_keeps_callee_saved(convention);

  if (reg > CN_DWARF_LAST)
    return CN_KEEPS_NOT_GENERAL;
  if (cn_port_is_lost_over_every_call(reg))
    return CN_KEEPS_NEVER;
  if (cn_port_tracked_register_of(reg) == CN_CALLEE_SAVED_COUNT)
    return convention == CONVENTION_PRESERVE_ALL ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
  if (convention == CONVENTION_PRESERVE_NONE) /* the callee preserves only the frame pointer */
    return cn_port_tracked_register_of(reg) == CN_PORT_FRAME_POINTER ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
  if (convention == CONVENTION_SWIFT_TAIL && cn_port_is_swifttail_argument(reg))
    return CN_KEEPS_NOT_HERE;
  return kept ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
}

bool cn_record_lies_in_frame(const struct cn_statepoint_record *r, unsigned reg, int64_t offset, uint64_t size)
{
  const struct cn_safepoint *f = r->frame;
  int64_t from;

  CN_CHECK(cn_port_base_index_of(f->cfa_reg) < CN_PORT_BASE_COUNT && f->cfa_offset >= 8);
  if (size > INT32_MAX || (reg == CN_DWARF_SP && offset < 0))
    return false;
  if (!find_register_distance(r, reg, &from))
    return true;
  from += offset; /* from now on relative to the frame address */
  int64_t to = from + (int64_t)size;
  if (to > -8)
    return false;
  if (reg != CN_DWARF_SP && r->stack_size <= INT32_MAX && from < -(int64_t)r->stack_size - 8)
    return false;
  for (unsigned i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if ((f->saved >> i & 1) && from < f->saved_offset[i] + 8 && to > f->saved_offset[i])
      return false;
  return true;
}

bool cn_record_is_argument(const struct cn_statepoint_record *r, unsigned reg, int64_t offset)
{
  int64_t from;

  return find_register_distance(r, reg, &from) && from + offset >= 0;
}

/* True for the stack pointer, and for a frame or base pointer if the caller's value of the register is saved. */
bool cn_record_is_frame_base(const struct cn_safepoint *f, unsigned reg)
{
  return reg == CN_DWARF_SP ||
         (cn_port_base_index_of(reg) < CN_PORT_BASE_COUNT && (f->saved >> cn_port_tracked_register_of(reg) & 1));
}
