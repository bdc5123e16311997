/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes the encoding of section `cairn_frames` and declares its writer. framemap/framemap.h declares the reader.
 * Private to src/framemap and to code that fills the model.
 *
 * The section is a sequence of functions. The only relocation of a function is the 32-bit distance to its entry, so the
 * function's bytes may move. A function begins at a multiple of 4; numbers are little-endian. Readers skip zero words
 * between functions, because linkers pad with zeros.
 *
 *      0  u32  length of the function, a multiple of 4
 *      4  i32  entry of the function, minus the address of this field     (relocated)
 *      8  u32  size of the function's code in bytes
 *     12  u32  number of safepoints (bits 0..26);
 *              bit 27: the object does not state its kind of barriers (of another compiler);
 *              bits 28..29: a = log2 of the width of a return offset;
 *              bits 30..31: b = log2 of the width of a descriptor offset
 *     16  the return offsets, ascending: return address minus entry
 *         the descriptor offsets, one per safepoint, counted from the end of this array
 *         the descriptors; equal safepoints share one
 *         zeros up to a multiple of 4
 *
 * A descriptor (uleb: unsigned LEB128 of at most 64 bits):
 *
 *     u8    head: bits 0..1  base of the CFA: its index among the port's bases, 0 is SP
 *                 bit  2     there are areas
 *                 bits 3..4  statepoint id: 0 default, 1 poll, 2 allocation,
 *                            3 a u64 follows the saved registers
 *                 bits 5..7  number of roots, or 7: a uleb with the number minus 7 follows
 *    [uleb  number of roots - 7]
 *     uleb  CFA offset / 8
 *     u8    saved registers: bit 7: bits 0..5 are the number of the prologue's shape (frames_PORT.c):
 *                                    on x86-64 the set of registers, pushed from CFA - 16 down;
 *                                    on AArch64 the number of registers from x19 on, with x29 and x30;
 *           bit 7 clear: bits 0..5 are the set of saved registers; with a link register, these bits are 0, and
 *                  a uleb with the set and a uleb with -offset / 8 of the return address follow. On AArch64 the
 *                  set also has the vector registers v8 to v15, of which callees preserve the low words.
 *                  Then for each saved register, in the order of the bits, a uleb with -offset / 8;
 *           bit 6: a landing follows the statepoint id
 *    [u64   statepoint id]
 *    [uleb  landing pad, as an offset from the entry; 0: only an unwinder knows. With a pad,
 *              uleb  selector << 1 | there are popped bytes
 *             [uleb  popped bytes / 8]]
 *           the roots: a uleb of place << 1 | derived;
 *                      if derived, a uleb with the place of the derived reference follows
 *    [uleb  number of areas - 1, then for each
 *           uleb of zigzag(offset) << 2 | base (0..2), uleb count, uleb stride;
 *           an area begins at its first reference.
 *           Base 3: roots by tag; then, before the count,
 *           uleb of tag << 2 | base, uleb parameter]
 *
 *     place: bit 0 clear: memory at SP + 8 * (the rest)
 *            bit 0 set, bit 5 clear: a register: bits 1..4 and, if the port has more than 16 general registers,
 *                                    bit 6 are its DWARF number, xor the port's register_flip
 *            bit 0 set, bit 5 set: memory at base 1 (bit 1 clear) or 2 (bit 1 set),
 *                                  + 8 * the zigzag number in bits 6 and up
 *
 * A reference in a callee-saved register or in a spill slot below SP + 256 takes one byte; the other facts of a usual
 * frame take three bytes.
 */
#ifndef CN_FRAMEMAP_FRAMEMAP_FORMAT_H
#define CN_FRAMEMAP_FRAMEMAP_FORMAT_H

#include "base/vector.h"
#include "framemap/details_format.h"
#include "framemap/framemap.h"
#include "framemap/leb.h"
#include "framemap/points_format.h"

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
  CN_SAVED_AS_SHAPE = 1 << 7,
  CN_SAVED_HAS_LANDING = 1 << 6,
  CN_SAVED_MASK = (1 << 6) - 1,
  CN_PLACE_ON_OTHER_BASE = 1 << 5,
  CN_PLACE_HIGH_SHIFT = 6,
  CN_AREA_TAG_FOLLOWS = 3,
};

/* Compare places: registers come before memory, then the order is by register and offset. */
static inline int cn_frame_place_compare(struct cn_frame_place a, struct cn_frame_place b)
{
  if (a.is_register != b.is_register)
    return a.is_register ? -1 : 1;
  if (a.reg != b.reg)
    return a.reg < b.reg ? -1 : 1;
  return a.offset < b.offset ? -1 : a.offset > b.offset;
}

/* The writer's input: a safepoint and a function.
 *
 * cn_map_function_wrong() checks these invariants:
 *   - return offsets ascend and lie within the code;
 *   - the base of a frame address, slot or area is the stack pointer or a saved base register; registers and the return
 *     address are saved in the frame at distinct places;
 *   - roots fulfil the rules of struct cn_root: base pointers come first, then derived references, both by ascending
 *     place; each place occurs once, and the base of each derived reference is listed;
 *   - a landing pad lies in the code, and a barred call has no pad;
 *   - slots and areas lie in the frame, outside the saved registers, if the model gives their base's target;
 *   - areas start at their first reference;
 *   - points fulfil cn_function_points_wrong(), and no return offset lies within the region of a point.
 */
struct cn_map_safepoint {
  uint32_t return_offset;
  struct cn_safepoint frame; /* its `roots` and `areas` are the counts of the arrays below */
  struct cn_root *roots;
  struct cn_described_area *areas;
  struct cn_safepoint_details detail; /* written to section `cairn_details` */
};

struct cn_map_function {
  const struct cn_frame_port *port;
  const char *name;
  uint32_t section; /* the object's section with the code */
  uint64_t offset;  /* offset of the entry in that section */
  uint32_t code_size;
  bool no_barriers;                              /* the object does not state its kind of barriers */
  CN_VECTOR(struct cn_map_safepoint) safepoints; /* by return offset */
  struct cn_function_points points;              /* written to section `cairn_points` */
};

/* Append a function's map. The zero entry field, CN_FRAMEMAP_ENTRY_OFFSET after the old end, needs a relocation. */
void cn_framemap_append_function(struct cn_bytes *out, const struct cn_map_function *function);
void cn_map_function_free(struct cn_map_function *function);

/* The header of a function, which section `cairn_points` shares. */
struct cn_map_header {
  const unsigned char *data, *end; /* the function's bytes */
  uintptr_t entry;
  uint32_t code_size;
  uint32_t packed; /* the word at CN_FRAMEMAP_COUNT_OFFSET, unchecked */
};

/* Read the header at *cursor or, after zeros, behind it, and set *cursor to the header. An enum cn_framemap_status. */
int cn_framemap_next_header(const unsigned char **cursor, const unsigned char *end, struct cn_map_header *header);

/* The part of a descriptor from the CFA offset to the saved registers, also of a point's record. `base` is the code of
 * the CFA's base. `*has_landing` gets CN_SAVED_HAS_LANDING; null: a landing is malformed. False if the bytes are
 * malformed. */
bool cn_framemap_get_frame_row(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                               unsigned base, struct cn_safepoint *out, bool *has_landing);
void cn_framemap_put_frame_row(struct cn_bytes *out, const struct cn_frame_port *port,
                               const struct cn_safepoint *frame);

/* The number of the shape of the frame's prologue, or CN_NO_SHAPE. */
unsigned cn_framemap_shape_of(const struct cn_frame_port *port, const struct cn_safepoint *frame);

static inline bool cn_landing_exists(const struct cn_landing *landing)
{
  return landing->pad != 0 || landing->barred;
}

/* Write the header of a function of either section; `packed` is the word at CN_FRAMEMAP_COUNT_OFFSET. The arrays
 * follow. Then cn_framemap_end_function() appends the records, pads the function, which began at `begin`, and sets its
 * length. */
void cn_framemap_put_header(struct cn_bytes *out, uint32_t code_size, uint32_t packed);
void cn_framemap_end_function(struct cn_bytes *out, size_t begin, const struct cn_bytes *records);
unsigned cn_framemap_base_code_of(const struct cn_frame_port *port, unsigned dwarf);

/* framemap_check.c: checks of a complete model, and of its bytes before relocation. */
const char *cn_map_function_wrong(const struct cn_map_function *function);
/* Checks only the frame address, the return address and the saved registers. */
const char *cn_framemap_frame_wrong(const struct cn_frame_port *port, const struct cn_safepoint *frame);
/* True if both frames have the same address, return address and saved registers. */
bool cn_framemap_is_same_frame(const struct cn_frame_port *port, const struct cn_safepoint *a,
                               const struct cn_safepoint *b);
bool cn_framemap_is_frame_base(const struct cn_frame_port *port, const struct cn_safepoint *frame, unsigned dwarf);
const char *cn_framemap_encoding_wrong(const unsigned char *bytes, size_t length,
                                       const struct cn_map_function *function);

#endif
