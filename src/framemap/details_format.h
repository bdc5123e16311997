/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes the encoding of section `cairn_details` and declares its writer. framemap/details.h declares the reader.
 * Private to src/framemap and to code that fills the model.
 *
 * The section is a sequence of blocks, each for one code section. A block has a relocation for the 32-bit distance to
 * its code, and a relocation to the object's spans if a safepoint is in a span. A block begins at a multiple of 4;
 * numbers are little-endian. Readers skip zero words between blocks.
 *
 *      0  u32  length of the block, a multiple of 4
 *      4  i32  entry of the first function, minus the address of this field    (relocated)
 *      8  i32  start of the object's section `cairn_spans`, minus the address
 *              of this field (relocated), or 0: no safepoint is in a span
 *     12  u32  number of functions
 *     16  u32  offset of the strings from the block's start; the strings end with the block
 *     20       the functions by entry, each
 *                  u32  entry minus the first function's entry
 *                  u32  size of its code in bytes
 *                  u32  offset of its data from the block's start; the offsets ascend, and the data of a function end
 *                       at the next data or at the strings
 *              the data of each function
 *              the strings, a zero after each, the first empty; zeros up to a multiple of 4
 *
 * A function's data:
 *
 *      0  u32  number of safepoints (bits 0..27);
 *              bits 28..29: a = log2 of the width of a return offset;
 *              bits 30..31: b = log2 of the width of a record offset
 *      4       the return offsets, ascending: return address minus entry
 *              the record offsets, one per safepoint, counted from the end of this array
 *              the scopes and the records; equal safepoints share a record
 *
 * A scope is the part of a function from one source file, where the function is the compiled function or a function
 * inlined at one call site. Scopes form a tree, so that one number names the chain of scopes of a safepoint; a scope
 * follows its parent. (uleb is unsigned LEB128. Places are offsets from the start of the scopes and records, strings
 * are offsets from the first string.)
 *
 *     uleb  its function's name
 *     uleb  its file, 0 unknown
 *     uleb  its base line
 *     uleb  distance back to its parent, or 0; with a parent,
 *              uleb  zigzag of the call's line minus the parent's base line
 *              uleb  column of the call
 *
 * A record:
 *
 *     u8    bit 0 there are sources, bit 1 deopt values, bit 2 spans
 *    [uleb  place of the innermost scope
 *     uleb  zigzag of the line minus the scope's base line
 *     uleb  column]
 *    [uleb  number of deopt values minus 1, then for each
 *           u8    bits 0..2 kind: 0 a constant, zigzag uleb
 *                                 1 a constant, u64
 *                                 2 in a register, uleb
 *                                 3 in memory: uleb of the register, uleb of zigzag(offset)
 *                                 4 the address that memory has, as 3
 *                                 5 in a register when the call was made, uleb
 *                 bits 3..7 type: an index of cn_value_types[], or 0: u8 class, u8 bits, uleb size of the place
 *                           follow]
 *    [uleb  number of spans minus 1, then for each uleb index, uleb depth]
 */
#ifndef CN_FRAMEMAP_DETAILS_FORMAT_H
#define CN_FRAMEMAP_DETAILS_FORMAT_H

#include <cairn/abi.h>
#include "base/vector.h"
#include "framemap/details.h"
#include "framemap/leb.h"

enum {
  CN_DETAILS_MAX_SAFEPOINTS = (1 << 28) - 1,

  CN_DETAILS_BLOCK_LENGTH_OFFSET = 0,
  CN_DETAILS_BLOCK_ENTRY_OFFSET = 4,
  CN_DETAILS_BLOCK_SPANS_OFFSET = 8,
  CN_DETAILS_BLOCK_COUNT_OFFSET = 12,
  CN_DETAILS_BLOCK_STRINGS_OFFSET = 16,
  CN_DETAILS_BLOCK_HEADER_BYTES = 20,

  CN_DETAILS_ENTRY_OFFSET = 0,
  CN_DETAILS_CODE_SIZE_OFFSET = 4,
  CN_DETAILS_DATA_OFFSET = 8,
  CN_DETAILS_FUNCTION_BYTES = 12, /* bytes of these */

  CN_RECORD_HAS_SOURCES = 1 << 0,
  CN_RECORD_HAS_DEOPTS = 1 << 1,
  CN_RECORD_HAS_SPANS = 1 << 2,

  CN_MAX_VIRTUAL_FRAMES = 1000, /* maximum number of virtual frames of a safepoint; compilers make far fewer */

  CN_VALUE_KIND_MASK = 7,
  CN_VALUE_TYPE_SHIFT = 3,
};

/* The types of deopt values that need no byte: class, bits, and size of the place. LLVM gives constants 8 bytes. */
struct cn_value_type {
  uint8_t value_class, bits;
  uint16_t size;
};
enum { CN_VALUE_TYPES = 23 };
static const struct cn_value_type cn_value_types[CN_VALUE_TYPES] = {
    {0}, /* the type is written out */
    {CAIRN_ABI_POINT_INTEGER, 64, 8},
    {CAIRN_ABI_POINT_INTEGER, 32, 4},
    {CAIRN_ABI_POINT_INTEGER, 16, 2},
    {CAIRN_ABI_POINT_INTEGER, 8, 1},
    {CAIRN_ABI_POINT_INTEGER, 1, 1},
    {CAIRN_ABI_POINT_INTEGER, 32, 8},
    {CAIRN_ABI_POINT_INTEGER, 24, 8},
    {CAIRN_ABI_POINT_INTEGER, 16, 8},
    {CAIRN_ABI_POINT_INTEGER, 8, 8},
    {CAIRN_ABI_POINT_INTEGER, 1, 8},
    {CAIRN_ABI_POINT_FLOAT, 64, 8},
    {CAIRN_ABI_POINT_FLOAT, 32, 4},
    {CAIRN_ABI_POINT_FLOAT, 32, 8},
    {CAIRN_ABI_POINT_POINTER, 64, 8},
    {CAIRN_ABI_POINT_REFERENCE, 64, 8},
    {CAIRN_ABI_POINT_UNDEFINED, 64, 8},
    {CAIRN_ABI_POINT_LOCAL, 64, 8},
    {CAIRN_ABI_POINT_VECTOR, 128, 16},
    {CAIRN_ABI_POINT_UNKNOWN, 0, 8},
    {CAIRN_ABI_POINT_UNKNOWN, 0, 4},
    {CAIRN_ABI_POINT_UNKNOWN, 0, 2},
    {CAIRN_ABI_POINT_UNKNOWN, 0, 1},
};

/* The low `bits` bits of a constant; all if the number is 0 or above 64. */
static inline uint64_t cn_deopt_mask_constant(uint64_t value, unsigned bits)
{
  return bits && bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* A constant of `bits` bits, extended by its sign. */
static inline int64_t cn_deopt_extend_constant(uint64_t value, unsigned bits)
{
  unsigned unused = bits && bits < 64 ? 64 - bits : 0;

  return (int64_t)(value << unused) >> unused;
}

/* details_read.c: the fault of a value's class, width and kind, or null. */
const char *cn_deopt_type_wrong(const struct cn_deopt_value *value);

enum cn_value_kind {
  CN_VALUE_SMALL_CONSTANT,
  CN_VALUE_LARGE_CONSTANT,
  CN_VALUE_IN_REGISTER,
  CN_VALUE_IN_MEMORY,
  CN_VALUE_MEMORY_ADDRESS,
  CN_VALUE_REGISTER_AT_CALL,
  CN_VALUE_KINDS
};

/* A span around a safepoint, given by its index in the span table. */
struct cn_span_use {
  uint32_t index, depth;
};

/* The details of a safepoint, as the writer's input. cn_function_details_wrong() checks that return offsets ascend and
 * lie within the code, that every source has a function's name, and that a deopt value's place fits its kind and type.
 */
struct cn_safepoint_details {
  uint32_t return_offset;
  CN_VECTOR(struct cn_source_place) sources; /* innermost first; the caller owns the strings */
  CN_VECTOR(struct cn_deopt_value) deopts;
  CN_VECTOR(struct cn_span_use) spans;
};

struct cn_function_details {
  uint32_t entry; /* the function's offset in its section */
  uint32_t code_size;
  CN_VECTOR(struct cn_safepoint_details) details; /* sorted by return offset; the writer skips empty details */
};

/* details_check.c */
const char *cn_function_details_wrong(const struct cn_function_details *function);

void cn_safepoint_details_free(struct cn_safepoint_details *detail);

/* Append a block with the functions of one section that have details. `functions` are sorted by entry. Returns the
 * entry of the first function with details; the zero field at CN_DETAILS_BLOCK_ENTRY_OFFSET needs a relocation to this
 * entry. If the function sets `*spans`, the zero field at CN_DETAILS_BLOCK_SPANS_OFFSET needs a relocation, too.
 * Returns -1 and appends nothing if all functions lack details. */
int64_t cn_details_append_block(struct cn_bytes *out, const struct cn_function_details *functions, size_t count,
                                bool *spans);
void cn_function_details_free(struct cn_function_details *function);

/* Like cn_details_next_span(), for readers that do not map the span table. The table is at cn_details_span_table(). */
int cn_details_next_span_use(struct cn_details *details, struct cn_span_use *out);
uintptr_t cn_details_span_table(const struct cn_details *details);

#endif
