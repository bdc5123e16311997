/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of native functions that keep no register for the walker. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_SHORT_CALLS_H
#define CN_COMPILE_TRANSITIONS_SHORT_CALLS_H

#include "compile/transitions/callees.h"

/* Make the call, of a native function, one through the short stub. False, with nothing done, where
 * that is impossible. */
bool cn_short_call(struct cn_ctx *ctx, const struct cn_call_target *site);

#endif
