/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are recorded although all objects stay where they are. Private to rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_STATIONARY_CALLS_H
#define CN_COMPILE_REWRITE_STATIONARY_CALLS_H

#include "compile/core/pass.h"

/* To be called before any call is classified: from then on, functions that check stores count as recorded. */
void cn_stationary_calls_set_recorded(struct cn_ctx *ctx);

#endif
