/* SPDX-License-Identifier: Apache-2.0
 *
 * The way up from a recursion. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_RECURSION_POLLS_H
#define CN_COMPILE_PLACE_RECURSION_POLLS_H

#include "compile/place/function_facts.h"

/* Where the function of `loops` has to poll besides at `sites` so that a recursion through it comes
 * to a safepoint on each level when it ends: added to them (recursion_polls.c). */
void cn_recursion_polls_sites(const struct cn_function_facts *infer, const struct cn_loops *loops,
                              struct cn_poll_sites *sites);

#endif
