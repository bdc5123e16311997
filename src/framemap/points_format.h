/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes the encoding of section `cairn_points` and declares its writer. framemap/points.h declares the reader.
 * Private to src/framemap and to code that fills the model.
 *
 * The section is a sequence of functions, each with the header of frame maps (framemap_format.h): the length, the
 * distance to the entry, which is the only relocation, and the size of the code. A function begins at a multiple of 4;
 * numbers are little-endian. Readers skip zero words between functions.
 *
 *      0  u32  length of the function, a multiple of 4
 *      4  i32  entry of the function, minus the address of this field     (relocated)
 *      8  u32  size of the function's code in bytes
 *     12  u32  number of points (bits 0..27);
 *              bits 28..29: a = log2 of the width of a region's start;
 *              bits 30..31: b = log2 of the width of a record offset
 *     16  the starts of the regions, ascending: address minus entry
 *         the lengths of the regions, u16 each
 *         the record offsets, one per point, counted from the end of this array
 *         the records; equal points share one
 *         zeros up to a multiple of 4
 *
 * A record (uleb: unsigned LEB128 of at most 64 bits):
 *
 *     u8    head: bits 0..1  base of the CFA: its index among the port's bases
 *                 bits 2..3  kind of the point (enum cn_point_kind)
 *                 bit  4     the first value is the result's place
 *                 bit  5     the region contains a call of a target
 *                 bit  6     a calling convention other than C's, or arguments
 *                 bit  7     there are live-outs
 *     uleb  CFA offset / 8
 *     u8    saved registers, as in a descriptor of framemap_format.h, and their offsets
 *     uleb  id
 *    [uleb  calling convention
 *     uleb  number of arguments]
 *     uleb  number of values, then for each
 *           u8    bits 0..2 class (enum cn_point_class)
 *                 bits 3..4 kind: 0 a constant, uleb of zigzag; its bits above the width repeat its sign
 *                                 1 in a register, uleb
 *                                 2 in memory: uleb of zigzag(offset) << 2 | base (0..2)
 *                                 3 the address that memory has, as 2
 *                 bits 5..7 width: 0: a uleb with the width follows; else 1, 8, 16, 32 or 64 bits
 *    [uleb  number of live-outs - 1, then for each uleb register, uleb size]
 */
#ifndef CN_FRAMEMAP_POINTS_FORMAT_H
#define CN_FRAMEMAP_POINTS_FORMAT_H

#include "base/vector.h"
#include "framemap/leb.h"
#include "framemap/points.h"

enum {
  CN_POINTS_MAX_POINTS = (1 << 28) - 1,
  CN_POINTS_MAX_REGION_BYTES = UINT16_MAX,

  CN_POINTS_ENTRY_OFFSET = 4,

  CN_POINT_KIND_SHIFT = 2,
  CN_POINT_HAS_RESULT = 1 << 4,
  CN_POINT_HAS_TARGET = 1 << 5,
  CN_POINT_HAS_CONVENTION = 1 << 6,
  CN_POINT_HAS_LIVE_OUTS = 1 << 7,

  CN_POINT_VALUE_KIND_SHIFT = 3,
  CN_POINT_VALUE_WIDTH_SHIFT = 5,

  CN_POINT_MAX_LIVE_OUT_BYTES = 64, /* the widest vector register */
};

/* The widths of values by the code in a value's head; code 0 says that the width follows. */
enum { CN_POINT_WIDTH_CODES = 6 };
static const uint8_t cn_point_widths[CN_POINT_WIDTH_CODES] = {0, 1, 8, 16, 32, 64};

/* The low `bits` bits, 1 to 64, of a value. */
static inline uint64_t cn_point_mask_value(uint64_t value, unsigned bits)
{
  return value & UINT64_MAX >> (64 - bits);
}

/* The writer's input: a point and its function. cn_function_points_wrong() checks these invariants:
 *   - regions ascend, share no byte, lie in the code, and have at most CN_POINTS_MAX_REGION_BYTES bytes;
 *   - the frame has the form that frame maps require, and its saved registers are in distinct places of the frame;
 *   - a result and arguments are among the values, of patchpoints only, and a result is in a register;
 *   - the width of a value fits its class, and its place fits its kind: the bases of places belong to the frame,
 *     registers are general or vector registers, constants have no bits above their width.
 */
struct cn_map_point {
  struct cn_point point; /* its `values` and `live_outs` are the counts of the vectors below */
  CN_VECTOR(struct cn_point_value) values;
  CN_VECTOR(struct cn_point_live_out) live_outs;
};

struct cn_function_points {
  const struct cn_frame_port *port;
  uint32_t code_size;
  CN_VECTOR(struct cn_map_point) points; /* by region */
};

/* Append a function's points, which must exist. The zero field CN_POINTS_ENTRY_OFFSET after the old end needs a
 * relocation to the entry. */
void cn_points_append_function(struct cn_bytes *out, const struct cn_function_points *function);
void cn_map_point_free(struct cn_map_point *point);
void cn_function_points_free(struct cn_function_points *function);

/* points_check.c: checks of a complete model, and of its bytes before relocation. */
const char *cn_function_points_wrong(const struct cn_function_points *function);
const char *cn_points_encoding_wrong(const unsigned char *bytes, size_t length,
                                     const struct cn_function_points *function);

#endif
