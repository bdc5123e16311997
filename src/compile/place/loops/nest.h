/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of loop nests for few trips. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_NEST_H
#define CN_COMPILE_PLACE_LOOPS_NEST_H

#include "base/vector.h"
#include "compile/place/loops/loop_forms.h"

/* A loop in the nest, whose trips are bounded in the copy. */
struct cn_nest_inner {
  struct cn_countable_loop test;
  LLVMValueRef from_zero; /* the counter starts there for all that matters; else null, and */
  unsigned start;         /* it is this input of its phi: copying an earlier nest may replace that */
  uint32_t parent;        /* the loop round it */
};

struct cn_nest {
  LLVMBasicBlockRef *blocks; /* the header first (owned) */
  uint32_t count;
  uint64_t work;    /* of one trip of everything */
  bool polls_first; /* on entry, too */
  CN_VECTOR(struct cn_nest_inner) inner;
};

/* Is loop `loop`, with loops in it, worth a copy in which those do not poll? */
bool cn_nest_fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop, uint64_t small_work,
                  struct cn_nest *nest);

/* Copy it, and note which loops of the copy are bounded. The phis of the header are new
 * afterwards. Needs LCSSA form. */
void cn_nest_build(struct cn_ctx *ctx, const struct cn_nest *nest, struct cn_strip_mines *out);

void cn_nest_free(struct cn_nest *nest);

#endif
