/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of loop nests for few trips. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_VERSION_NEST_H
#define CN_COMPILE_PLACE_LOOPS_VERSION_NEST_H

#include "compile/place/loops/clone.h"
#include "compile/place/loops/loop_forms.h"

struct cn_nest;

/* Is loop `loop`, with loops in it, worth a version in which those do not poll? Then put the needs
 * of copying into `c`. */
bool cn_version_nest_fits(struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t loop,
                          uint64_t small_work, struct cn_countable_loop *c);

/* Free what `c` owns. */
void cn_version_nest_free(struct cn_countable_loop *c);

/* Build, at the builder's place: may an inner loop do more on one entry than fits between polls? */
LLVMValueRef cn_version_nest_build_far(struct cn_ctx *ctx, LLVMBuilderRef builder,
                                       const struct cn_nest *nest);
/* Note that the inner loops of the copy are bounded. */
void cn_version_nest_bound(const struct cn_nest *nest, const struct cn_clone *clone,
                           struct cn_strip_mines *out);

#endif
