/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame maps: the encoding of section `cairn_frames`, and its writer. The reader is framemap/framemap.h. Private to
 * src/framemap and to code that fills the model.
 *
 * The section is a sequence of functions. The only relocation of each is the 32-bit distance to its entry, so that it
 * may stand anywhere. A function begins at a multiple of 4; numbers are little-endian. Readers skip zero words between
 * functions: linkers pad with them.
 *
 *      0  u32  length of all of this, a multiple of 4
 *      4  i32  entry of the function, minus the address of this field     (relocated)
 *      8  u32  size of the function's code in bytes
 *     12  u32  number of safepoints (bits 0..26);
 *              bit 27: the object does not say what barriers it has: another compiler's;
 *              bits 28..29: a = log2 of the width of a return offset;
 *              bits 30..31: b = log2 of the width of a descriptor offset
 *     16  the return offsets, ascending: return address minus entry
 *         the descriptor offsets, one per safepoint, counted from the end of this array
 *         the descriptors; equal safepoints share one
 *         zeros up to a multiple of 4
 *
 * A descriptor (uleb: unsigned LEB128 of at most 64 bits):
 *
 *     u8    head: bits 0..1  base of the CFA: its index in cn_port_base_registers, 0 is SP
 *                 bit  2     there are areas
 *                 bits 3..4  statepoint id: 0 default, 1 poll, 2 allocation,
 *                            3 a u64 follows the saved registers
 *                 bits 5..7  number of roots, or 7: a uleb with the number minus 7 follows
 *    [uleb  number of roots - 7]
 *     uleb  CFA offset / 8
 *     u8    saved registers: bits 0..5 by enum cn_reg;
 *           bit 7: they lie where pushes in the order cn_push_order put them,
 *                  from CFA - 16 down;
 *           else per saved register, in the order of the bits, a uleb with -offset / 8
 *    [u64   statepoint id]
 *           the roots: a uleb of place << 1 | derived;
 *                      if derived, a uleb with the place of the derived reference follows
 *    [uleb  number of areas - 1, then for each
 *           uleb of zigzag(offset) << 2 | base (0..2), uleb count, uleb stride;
 *           an area begins at its first reference.
 *           Base 3: words of the language's own; then, before the count,
 *           uleb of tag << 2 | base, uleb parameter]
 *
 *     place: bit 0 clear: memory at SP + 8 * (the rest)
 *            bit 0 set, bit 5 clear: the register of DWARF number bits 1..4
 *            bit 0 set, bit 5 set: memory at base 1 (bit 1 clear) or 2 (bit 1 set),
 *                                  + 8 * the zigzag number in bits 6 and up
 *
 * A reference in a spill slot below SP + 256, or in a register, takes one byte; the shape of a usual frame takes three.
 */
#ifndef CN_FRAMEMAP_FRAMEMAP_FORMAT_H
#define CN_FRAMEMAP_FRAMEMAP_FORMAT_H

#include "base/vector.h"
#include "framemap/details_format.h"
#include "framemap/framemap.h"
#include "framemap/leb.h"

enum {
  CN_FRAMEMAP_LENGTH_OFFSET = 0,
  CN_FRAMEMAP_ENTRY_OFFSET = 4,
  CN_FRAMEMAP_CODE_SIZE_OFFSET = 8,
  CN_FRAMEMAP_COUNT_OFFSET = 12,
  CN_FRAMEMAP_HEADER_BYTES = 16,
  CN_FRAMEMAP_MAX_SAFEPOINTS = (1 << 27) - 1,
  CN_FRAMEMAP_NO_BARRIERS_FLAG = 1 << 27,

  CN_DESCRIPTOR_HAS_AREAS = 1 << 2,
  CN_DESCRIPTOR_ID_SHIFT = 3,
  CN_DESCRIPTOR_ROOTS_SHIFT = 5,
  CN_DESCRIPTOR_MANY_ROOTS = 7,
  CN_STATEPOINT_ID_EXPLICIT = 3,
  CN_SAVED_IN_PUSH_ORDER = 1 << 7,
  CN_PLACE_ON_OTHER_BASE = 1 << 5,
  CN_AREA_TAG_FOLLOWS = 3,
};

/* The order of places: registers first, then by register and offset. */
static inline int cn_frame_place_compare(struct cn_frame_place a, struct cn_frame_place b)
{
  if (a.is_register != b.is_register)
    return a.is_register ? -1 : 1;
  if (a.reg != b.reg)
    return a.reg < b.reg ? -1 : 1;
  return a.offset < b.offset ? -1 : a.offset > b.offset;
}

/* The model that is written: one safepoint, one function.
 *
 * It holds (cn_map_function_wrong()) that
 *   - return offsets ascend, within the code;
 *   - a frame address, slot or area is based on the stack pointer or on a saved base; registers are saved in the frame,
 *     each in its own place;
 *   - roots are those of struct cn_root: bases first, then derived references, both by ascending place, each place
 *     once, each derived reference with a base that is listed;
 *   - slots and areas lie in the frame, clear of the saved registers, as far as the model says where their base points;
 *   - areas start at their first reference.
 */
struct cn_map_safepoint {
  uint32_t return_offset;
  struct cn_safepoint frame; /* `roots` and `areas` count these: */
  struct cn_root *roots;
  struct cn_described_area *areas;
  struct cn_safepoint_details detail; /* kept in section `cairn_details` */
};

struct cn_map_function {
  const char *name;
  uint32_t section; /* of the object: where the code is */
  uint64_t offset;  /* of the entry in that section */
  uint32_t code_size;
  bool no_barriers;                              /* the object leaves its barriers unstated */
  CN_VECTOR(struct cn_map_safepoint) safepoints; /* by return offset */
};

/* Append a function's map. The entry field, CN_FRAMEMAP_ENTRY_OFFSET after the old end, is left zero for a relocation.
 */
void cn_framemap_append_function(struct cn_bytes *out, const struct cn_map_function *function);
void cn_map_function_free(struct cn_map_function *function);

/* framemap_check.c: validators of a finished model, and of its bytes before they are relocated. */
const char *cn_map_function_wrong(const struct cn_map_function *function);
const char *cn_framemap_encoding_wrong(const unsigned char *bytes, size_t length,
                                       const struct cn_map_function *function);

#endif
