/* SPDX-License-Identifier: Apache-2.0
 *
 * Flaws of the calls that are points. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_POINT_FLAWS_H
#define CN_COMPILE_LOWER_POINT_FLAWS_H

#include "compile/effects/points.h"

/* Report (rule patch-point) what the code generator cannot lower or record at the call. False if there is a flaw. */
bool cn_refuse_point_flaws(struct cn_ctx *ctx, const struct cn_point_call *point);

#endif
