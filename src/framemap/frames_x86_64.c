/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of x86-64 as data. A call pushes the return address, and a prologue pushes the callee-saved registers that
 * it saves, in one order. A shape's number is the set of pushed registers. The data are constant.
 */
#include "framemap/frames_x86_64.h"

#include <elf.h>
#include "framemap/port.h"

/* The callee-saved registers in the order of compilers' pushes. */
static const uint8_t push_order[CN_CALLEE_SAVED_COUNT] = {CN_RBP, CN_R15, CN_R14, CN_R13, CN_R12, CN_RBX};

static unsigned find_shape(uint32_t saved)
{
  return saved >> CN_CALLEE_SAVED_COUNT ? (unsigned)CN_NO_SHAPE : saved;
}

static bool fill_shape(unsigned shape, struct cn_saved_places *out)
{
  int32_t pushed = CN_FIRST_PUSH_OFFSET;

  *out = (struct cn_saved_places){.saved = shape, .return_address = CN_RETURN_ADDRESS_OFFSET};
  for (unsigned i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if (shape >> push_order[i] & 1) {
      out->offset[push_order[i]] = pushed;
      pushed -= 8;
    }
  return shape >> CN_CALLEE_SAVED_COUNT == 0;
}

enum { PC = 16, FIRST_SEGMENT = 50, LAST_SEGMENT_BASE = 59 };

const struct cn_frame_port cn_frame_port_x86_64 = {
    .name = "x86-64",
    .elf_machine = EM_X86_64,
    .tracked_count = CN_CALLEE_SAVED_COUNT,
    .saved_count = CN_CALLEE_SAVED_COUNT,
    .callee_saved = {CN_DWARF_RBX, CN_DWARF_RBP, CN_DWARF_R12, CN_DWARF_R13, CN_DWARF_R14, CN_DWARF_R15},
    .frame_pointer = CN_PORT_FRAME_POINTER,
    .base = {CN_DWARF_SP, CN_DWARF_RBP, CN_DWARF_RBX},
    .last_general = CN_DWARF_LAST,
    .return_address = CN_DWARF_RETURN_ADDRESS,
    .pushed_bytes = 8,
    .lost_over_every_call = UINT32_C(1) << CN_DWARF_SP | UINT32_C(1) << CN_DWARF_R11,
    .swifttail_arguments = UINT32_C(1) << CN_DWARF_R13 | UINT32_C(1) << CN_DWARF_R14,
    .live_outs = {{0, CN_DWARF_LAST}, {CN_DWARF_XMM0, CN_DWARF_XMM15}, {CN_DWARF_XMM16, CN_DWARF_XMM31}},
    .constants = {{PC, PC}, {FIRST_SEGMENT, LAST_SEGMENT_BASE}},
    .mistaken_by_libdw = CN_DWARF_RBX, /* libdw mistakes the number for rax's */
    .scale_register = CN_NO_REGISTER,
    .other_frame_base = "its frame address is based on another register than rsp, rbp and rbx",
    .other_location_base = "a location is not based on rsp, or on rbp or rbx with the caller's saved",
    .unknown_size = "a frame of unknown size has its frame address at rsp",
    .may_be_undefined = "its caller's rbx may be undefined",
    .find_shape = find_shape,
    .fill_shape = fill_shape,
};
