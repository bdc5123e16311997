/* SPDX-License-Identifier: Apache-2.0
 *
 * Details: facts of safepoints that a walk does not need. Section `cairn_details` accompanies `cairn_frames`, one for
 * each code section, and is kept or dropped with it. Backtraces, span look-ups and deoptimisation read it. This header
 * is the reader's interface; src/framemap/details_format.h draws the encoding.
 *
 * Safepoints without details are left out, and so are functions whose safepoints all lack them.
 */
#ifndef CN_FRAMEMAP_DETAILS_H
#define CN_FRAMEMAP_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/framemap.h"

/* A function of a section. Zero it before the first call of cn_details_next_function(); later calls go on from it.
 * Copies work like the original. */
struct cn_details_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t safepoints;             /* those that have details */
  const unsigned char *data, *end; /* reader's own, all that follows */
  const unsigned char *block;
  uint32_t index; /* in the block */
};

/* A safepoint's details; the counts say how many are still to be read. */
struct cn_details {
  uint32_t sources, deopts, spans;
  struct cn_details_function function; /* reader's own, all that follows */
  const unsigned char *area;           /* the function's scopes and records */
  const unsigned char *cursor;         /* the next of deopts and spans */
  uint32_t scope;                      /* the next source's */
  uint32_t line, column;               /* the place in that scope */
  bool in_spans;                       /* the number of spans has been read */
};

/* A virtual frame: the innermost comes first, the function that owns the machine frame last. Strings end in 0 and stay
 * mapped with the image. */
struct cn_source_place {
  const char *function; /* source name, else the symbol; always given */
  const char *file;     /* null: unknown */
  uint32_t line, column;
};

/* An operand of the statepoint's deopt bundle, in the bundle's order. Cairn's own tails are left out. */
struct cn_deopt_value {
  enum { CN_DEOPT_CONSTANT, CN_DEOPT_VALUE, CN_DEOPT_ADDRESS, CN_DEOPT_REGISTER_AT_CALL } kind;
  uint16_t size; /* of the value in bytes, or 0: unknown */
  struct cn_frame_place
      loc; /* VALUE: its place; ADDRESS: loc.reg + loc.offset is the value; AT_CALL: the register that held it
            * when the call was made; the call may have changed it ("deopt-lowering"="live-in") */
  uint64_t constant;
};

/* A span around the safepoint; the smallest comes first. */
struct cn_span {
  uint64_t key;
  uintptr_t value;
  uint32_t depth; /* abi.def, SPAN_MARK */
};

/* Statuses are those of enum cn_framemap_status. Step through the functions of [*cursor, end); CN_FRAMEMAP_NONE at the
 * end, CN_FRAMEMAP_BAD if the bytes are malformed. */
int cn_details_next_function(const unsigned char **cursor, const unsigned char *end,
                             struct cn_details_function *function);
/* The function of [start, end) whose code holds the byte at `address` (of a return address, the byte before it). Linear
 * in the number of code sections, else logarithmic. */
int cn_details_function_at(const unsigned char *start, const unsigned char *end, uintptr_t address,
                           struct cn_details_function *function);
/* The i-th safepoint's return offset; they ascend. For callers that visit them all. */
int cn_details_read_return_offset(const struct cn_details_function *function, uint32_t index, uint32_t *offset);
/* The details of the safepoint with this return offset; CN_FRAMEMAP_NONE if they are unknown. */
int cn_details_find(const struct cn_details_function *function, uint32_t return_offset, struct cn_details *out);
/* Step through the parts of the details: sources, then deopts, then spans; earlier kinds may be skipped.
 * CN_FRAMEMAP_NONE at the end. */
int cn_details_next_source(struct cn_details *details, struct cn_source_place *out);
int cn_details_next_deopt(struct cn_details *details, struct cn_deopt_value *out);
/* Reads the span table, which must be mapped as the image says. */
int cn_details_next_span(struct cn_details *details, struct cn_span *out);

#endif
