/* SPDX-License-Identifier: Apache-2.0
 *
 * The frames of AArch64 as data. A call leaves the return address in the link register x30, and the callee's prologue
 * saves it. A shape's number is n, for a prologue that saves x19 to x18 + n and the frame record x29, x30. LLVM stores
 * pairs, from the frame address down: x19, x20, ...; the last register of an odd number lies in the lower half of its
 * pair; then x30 and x29. Saved vector registers lie below, and have no shape. The data are constant.
 */
#include "framemap/frames_aarch64.h"

#include <elf.h>
#include "framemap/port.h"

enum { MOST_SAVED = CN_X29 }; /* the number of registers before x29 */

static uint32_t set_of_shape(unsigned n)
{
  return ((1u << n) - 1) | 1u << CN_X29;
}

static unsigned find_shape(uint32_t saved)
{
  for (unsigned n = 0; n <= MOST_SAVED; n++)
    if (saved == set_of_shape(n))
      return n;
  return CN_NO_SHAPE;
}

static bool fill_shape(unsigned n, struct cn_saved_places *out)
{
  int32_t record = -8 * (int32_t)(n + n % 2);

  *out = (struct cn_saved_places){0};
  if (n > MOST_SAVED)
    return false;
  out->saved = set_of_shape(n);
  for (unsigned i = 0; i < n; i++)
    out->offset[i] = -8 * (int32_t)(i + 1);
  if (n % 2)
    out->offset[n - 1] = record;
  out->return_address = record - 8;
  out->offset[CN_X29] = record - 16;
  return true;
}

/* Calls of preserve_all keep x9 to x15, and x19 to x29. */
#define REGISTERS(first, last) ((UINT32_MAX >> (31 - ((last) - (first)))) << (first))
#define KEPT_BY_PRESERVE_ALL (REGISTERS(CN_DWARF_X9, CN_DWARF_X15) | REGISTERS(CN_DWARF_X19, CN_DWARF_X29))

const struct cn_frame_port cn_frame_port_aarch64 = {
    .name = "AArch64",
    .elf_machine = EM_AARCH64,
    .tracked_count = CN_CALLEE_SAVED_COUNT,
    .saved_count = CN_CALLEE_SAVED_COUNT + CN_SAVED_VECTORS,
    .callee_saved = {CN_DWARF_X19, 20, 21, 22, 23, 24, 25, 26, 27, CN_DWARF_X28, CN_DWARF_X29, CN_DWARF_V8, 73, 74, 75,
                     76, 77, 78, CN_DWARF_V15},
    .frame_pointer = CN_PORT_FRAME_POINTER,
    .base = {CN_DWARF_SP, CN_DWARF_X29, CN_DWARF_X19},
    .has_zero_at_sp = true,
    .last_general = CN_DWARF_LAST,
    .return_address = CN_DWARF_RETURN_ADDRESS,
    .has_link_register = true,
    .register_flip = 16, /* the callee-saved registers get numbers below 16 */
    .lost_over_every_call = ~KEPT_BY_PRESERVE_ALL,
    .swifttail_arguments = UINT32_C(1) << CN_DWARF_X20 | UINT32_C(1) << CN_DWARF_X22,
    .live_outs = {{0, CN_DWARF_LAST}, {CN_DWARF_V0, CN_DWARF_V31}},
    .constants = {{CN_DWARF_PC, CN_DWARF_PC}},
    .mistaken_by_libdw = CN_NO_REGISTER,
    .scale_register = CN_DWARF_VG,
    .other_frame_base = "its frame address is based on another register than sp, x29 and x19",
    .other_location_base = "a location is not based on sp, or on x29 or x19 with the caller's saved",
    .unknown_size = "a frame of unknown size has its frame address at sp",
    .may_be_undefined = "its call-frame information has unknown instructions",
    .find_shape = find_shape,
    .fill_shape = fill_shape,
};
