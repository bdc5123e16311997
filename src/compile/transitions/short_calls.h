/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of native functions through the short stub, which leaves saving registers to the caller. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_SHORT_CALLS_H
#define CN_COMPILE_TRANSITIONS_SHORT_CALLS_H

#include "compile/transitions/callees.h"

/* Route the call, of a native function, through the short stub. False, with the call unchanged, if that is impossible.
 */
bool cn_short_call(struct cn_ctx *ctx, const struct cn_call_target *site);

#endif
