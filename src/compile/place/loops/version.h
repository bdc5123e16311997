/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of loops for few trips. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LOOPS_VERSION_H
#define CN_COMPILE_PLACE_LOOPS_VERSION_H

#include "compile/place/loops/loop_forms.h"

/* Is the loop, whose test `c` describes, worth a version? Then put the needs of copying into `c`.
 */
bool cn_version_fits(const struct cn_loops *loops, uint32_t loop, bool products,
                     struct cn_countable_loop *c);

/* Copy it. The phis of the header are new afterwards. */
void cn_version_build(struct cn_ctx *ctx, struct cn_countable_loop *c, struct cn_strip_mines *out);

#endif
