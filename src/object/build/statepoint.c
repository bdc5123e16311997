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
  else if (cn_port_is_sp(r->port, reg) && r->stack_size <= INT32_MAX)
    *distance = -(int64_t)r->stack_size - r->port->pushed_bytes;
  else
    return false;
  return true;
}

/* True if a callee of the record's convention may move its frame, and remove another number of bytes of arguments than
 * its caller passed. */
static bool may_callee_move(const struct cn_statepoint_record *r)
{
  uint64_t convention = r->statepoint.calling_convention;

  return convention == CONVENTION_TAIL || convention == CONVENTION_SWIFT_TAIL;
}

void cn_record_base_frame_on_sp(struct cn_statepoint_record *r, struct cn_safepoint *frame)
{
  const struct cn_frame_port *port = r->port;

  CN_CHECK(frame == r->frame && !r->frame_pointer_distance);
  if (port->pushed_bytes || may_callee_move(r) || frame->cfa_reg != port->callee_saved[port->frame_pointer] ||
      r->stack_size > INT32_MAX || r->stack_size < (uint64_t)frame->cfa_offset)
    return;
  r->frame_pointer_distance = frame->cfa_offset;
  frame->cfa_reg = port->base[0];
  frame->cfa_offset = (int32_t)r->stack_size;
}

bool cn_record_is_frame_register(const struct cn_statepoint_record *r, unsigned reg)
{
  if (r->frame_pointer_distance && reg == r->port->callee_saved[r->port->frame_pointer])
    return true;
  return reg == r->frame->cfa_reg && !cn_port_is_sp(r->port, reg);
}

/* The location with another base register, `distance` bytes above the first one. */
static struct cairn_stackmap_location change_base(struct cairn_stackmap_location l, uint8_t reg, int64_t distance)
{
  int64_t offset = l.offset - distance;

  if ((l.kind != CAIRN_STACKMAP_INDIRECT && l.kind != CAIRN_STACKMAP_DIRECT) || offset < INT32_MIN ||
      offset > INT32_MAX)
    return l;
  l.reg = reg;
  l.offset = (int32_t)offset;
  return l;
}

struct cairn_stackmap_location cn_record_rebase_location(const struct cn_statepoint_record *r,
                                                         struct cairn_stackmap_location l)
{
  const struct cn_frame_port *port = r->port;
  int64_t pointer, base;

  if (r->frame_pointer_distance && l.reg == port->callee_saved[port->frame_pointer])
    return change_base(l, port->base[0], r->frame_pointer_distance - (int64_t)r->frame->cfa_offset);
  if (!may_callee_move(r) || cn_port_is_sp(port, r->frame->cfa_reg) || !cn_port_is_sp(port, l.reg) || l.offset < 0 ||
      !find_register_distance(r, l.reg, &pointer) || !find_register_distance(r, r->frame->cfa_reg, &base))
    return l;
  return change_base(l, r->frame->cfa_reg, base - pointer);
}

struct cairn_stackmap_location cn_record_location_at(const struct cn_statepoint_record *r, uint32_t index)
{
  CN_CHECK(index < r->record->locations);
  return cn_record_rebase_location(r, cairn_stackmap_location(r->map, r->record, index));
}

/* True for LLVM's calling conventions whose callees save the callee-saved registers of C: C, fast, cold, any register,
 * preserve_most, preserve_all, swift, C++ thread-local, tail, guard check, swifttail; Intel's OpenCL, SysV, Win64,
 * vectorcall and regcall, and other vector calls. Callees of other conventions, such as ghccc, save fewer registers. */
static bool convention_keeps_callee_saved(uint64_t convention)
{
  static const uint8_t known[] = {
      0,  8,  9,  13, 14, CONVENTION_PRESERVE_ALL, 16, 17, CONVENTION_TAIL, 19, CONVENTION_SWIFT_TAIL, 77,
      78, 79, 80, 92, 97};

  for (size_t i = 0; i < sizeof known; i++)
    if (known[i] == convention)
      return true;
  return false;
}

enum cn_keeps cn_record_keeps_register(const struct cn_statepoint_record *r, unsigned reg)
{
  const struct cn_frame_port *port = r->port;
  uint64_t convention = r->statepoint.calling_convention;
  bool kept = convention_keeps_callee_saved(convention);

  if (reg > port->last_general)
    return CN_KEEPS_NOT_GENERAL;
  if (cn_port_is_lost_over_every_call(port, reg))
    return CN_KEEPS_NEVER;
  if (!cn_port_is_tracked(port, reg))
    return convention == CONVENTION_PRESERVE_ALL ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
  if (convention == CONVENTION_PRESERVE_NONE) /* the callee preserves only the frame pointer */
    return reg == port->callee_saved[port->frame_pointer] ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
  if (convention == CONVENTION_SWIFT_TAIL && cn_port_is_swifttail_argument(port, reg))
    return CN_KEEPS_NOT_HERE;
  return kept ? CN_KEEPS_VALUE : CN_KEEPS_NOT_HERE;
}

bool cn_record_lies_in_frame(const struct cn_statepoint_record *r, unsigned reg, int64_t offset, uint64_t size)
{
  const struct cn_frame_port *port = r->port;
  const struct cn_safepoint *f = r->frame;
  int64_t from;

  CN_CHECK(cn_port_base_index_of(port, f->cfa_reg) < CN_PORT_BASE_COUNT && f->cfa_offset >= 8);
  if (size > INT32_MAX || (cn_port_is_sp(port, reg) && offset < 0))
    return false;
  if (!find_register_distance(r, reg, &from))
    return true;
  from += offset; /* from now on relative to the frame address */
  int64_t to = from + (int64_t)size;
  if (to > -port->pushed_bytes || (from < f->return_address_offset + 8 && to > f->return_address_offset))
    return false;
  if (!cn_port_is_sp(port, reg) && r->stack_size <= INT32_MAX && from < -(int64_t)r->stack_size - port->pushed_bytes)
    return false;
  for (unsigned i = 0; i < port->saved_count; i++)
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
bool cn_record_is_frame_base(const struct cn_statepoint_record *r, unsigned reg)
{
  return cn_framemap_is_frame_base(r->port, r->frame, reg);
}
