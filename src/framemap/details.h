/* SPDX-License-Identifier: Apache-2.0
 *
 * Details are facts of safepoints that a stack walk does not need. Each code section has a section `cairn_details`
 * beside its section `cairn_frames`; the linker keeps or drops both together. Backtraces, span look-ups and
 * deoptimisation read details. This header is the reader's interface; src/framemap/details_format.h describes the
 * encoding.
 *
 * The section omits safepoints without details, and functions without such safepoints.
 */
#ifndef CN_FRAMEMAP_DETAILS_H
#define CN_FRAMEMAP_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/framemap.h"

/* A function of a section. The caller zeroes the struct before the first call of cn_details_next_function(); later
 * calls continue from the struct. A copy is equivalent to the original. */
struct cn_details_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t safepoints;             /* number of safepoints with details */
  const unsigned char *data, *end; /* private to the reader, like all later members */
  const unsigned char *block;
  uint32_t index; /* in the block */
};

/* A safepoint's details. The counts are the numbers of items that are still to be read. */
struct cn_details {
  uint32_t sources, deopts, spans;
  struct cn_details_function function; /* private to the reader, like all later members */
  const unsigned char *area;           /* the function's scopes and records */
  const unsigned char *cursor;         /* the next deopt value or span */
  uint32_t scope;                      /* the next source's */
  uint32_t line, column;               /* the source location in that scope */
  bool in_spans;                       /* the reader has read the number of spans */
};

/* A virtual frame. The innermost frame comes first, and the function that owns the machine frame comes last. Strings
 * end in 0 and stay mapped with the image. */
struct cn_source_place {
  const char *function; /* source name, else the symbol; never null */
  const char *file;     /* null: unknown */
  uint32_t line, column;
};

/* An operand of the statepoint's deopt bundle, in the bundle's order, without the operands that Cairn added. A
 * reference of kind VALUE has the place of a root, whose base is the base of the reference. */
struct cn_deopt_value {
  enum { CN_DEOPT_CONSTANT, CN_DEOPT_VALUE, CN_DEOPT_ADDRESS, CN_DEOPT_REGISTER_AT_CALL } kind;
  uint8_t value_class; /* CAIRN_ABI_POINT_INTEGER, ...; an UNDEFINED value is the constant 0 */
  uint8_t bits;  /* the value's width, 1 to 128, or 0 if the class is UNKNOWN; the place's other bits are arbitrary,
                  * and a constant lacks them */
  uint16_t size; /* the size of the place in bytes, or 0 if it is unknown */
  struct cn_frame_place
      loc; /* VALUE: the value's place; ADDRESS: the value is loc.reg + loc.offset; AT_CALL: the register that contained
            * the value at the start of the call, which may have changed the register ("deopt-lowering"="live-in") */
  uint64_t constant;
};

/* A span around the safepoint. The smallest span comes first. */
struct cn_span {
  uint64_t key;
  uintptr_t value;
  uint32_t depth; /* abi.def, SPAN_MARK */
};

/* The functions below return an enum cn_framemap_status. Read the next function of [*cursor, end). CN_FRAMEMAP_NONE at
 * the end, CN_FRAMEMAP_BAD if the bytes are malformed. */
int cn_details_next_function(const unsigned char **cursor, const unsigned char *end,
                             struct cn_details_function *function);
/* Read the return offset of safepoint `index`. Return offsets ascend. For callers that visit all safepoints. */
int cn_details_read_return_offset(const struct cn_details_function *function, uint32_t index, uint32_t *offset);
/* Find the details of the safepoint with this return offset. CN_FRAMEMAP_NONE if the safepoint has no details. */
int cn_details_find(const struct cn_details_function *function, uint32_t return_offset, struct cn_details *out);
/* Read the next part of the details: first sources, then deopt values, then spans. Callers may skip kinds.
 * CN_FRAMEMAP_NONE at the end of a kind. */
int cn_details_next_source(struct cn_details *details, struct cn_source_place *out);
int cn_details_next_deopt(struct cn_details *details, struct cn_deopt_value *out);
/* Read the next span. The span table must be mapped at its place in the image. */
int cn_details_next_span(struct cn_details *details, struct cn_span *out);

#endif
