/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that get statepoints although all objects stay in place. Private to rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_STATIONARY_CALLS_H
#define CN_COMPILE_REWRITE_STATIONARY_CALLS_H

#include "compile/core/pass.h"

/* Give calls of functions that check stores the class of parse points. Must run before the pass classifies any call. */
void cn_stationary_calls_set_recorded(struct cn_ctx *ctx);

#endif
