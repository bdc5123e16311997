/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions as the interpreter runs them: operations on numbered values. Shared by decode.c and
 * interpret.c.
 */
#ifndef CN_TEST_LOOPS_CODE_H
#define CN_TEST_LOOPS_CODE_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "random/loops/interpret.h"

enum { CN_LANES = 4 };

struct cn_value {
  uint64_t lane[CN_LANES];
};

/* What a call does. */
enum cn_call {
  CN_DOES_NOTHING,
  CN_DOES_UMIN,
  CN_DOES_UMAX,
  CN_DOES_SMIN,
  CN_DOES_SMAX,
  CN_DOES_ABS,
  CN_DOES_FSHL,
  CN_DOES_FABS,
  CN_DOES_ADDRESS, /* is its operand */
  CN_DOES_FILL,
  CN_DOES_POLL,
  CN_DOES_MOVE,     /* a statepoint of a poll */
  CN_DOES_RELOCATE, /* from[0]: where statepoint's live values are, from[1]: which */
};

struct cn_op {
  LLVMOpcode code;
  enum cn_call call;
  uint32_t to, from[3], count; /* values; count: how many operands */
  unsigned lanes, bits, other; /* of the result; of the first operand; then a predicate */
  uint64_t scale[2];           /* of indices */
  uint32_t first, length;      /* in `numbers`: targets, cases, masks, live values, areas */
};

struct cn_phi {
  uint32_t to, first, length; /* in `numbers`: pairs of block and value */
};

struct cn_code_block {
  uint32_t op, phi, phis;
};

struct cn_loops_code {
  struct cn_ptrmap slots, blocks;
  CN_VECTOR(struct cn_value) values;
  CN_VECTOR(struct cn_op) ops;
  CN_VECTOR(struct cn_phi) phis;
  CN_VECTOR(struct cn_code_block) at;
  CN_VECTOR(uint64_t) numbers;
  CN_VECTOR(uint32_t) mutators; /* values that are the address of the mutator */
  uint32_t frame;               /* bytes of allocas */
  uint32_t live;                /* values that statepoints list, all together */
  LLVMValueRef unknown;
};

static inline uint64_t cn_cut(uint64_t value, unsigned bits)
{
  return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

#endif
