/* SPDX-License-Identifier: Apache-2.0
 *
 * Polls on the returns from a recursion. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_RECURSION_POLLS_H
#define CN_COMPILE_PLACE_RECURSION_POLLS_H

#include "compile/place/function_facts.h"

/* Add to `sites` the polls without which a recursion through the function of `loops` could return over several levels
 * without a safepoint (recursion_polls.c). */
void cn_recursion_polls_sites(const struct cn_function_facts *facts, const struct cn_loops *loops,
                              struct cn_poll_sites *sites);

#endif
