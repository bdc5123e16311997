/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are recorded though nothing moves meanwhile. Private to rewrite-statepoints.
 */
#ifndef CN_COMPILE_REWRITE_STATIONARY_CALLS_H
#define CN_COMPILE_REWRITE_STATIONARY_CALLS_H

#include "compile/core/pass.h"

/* Before anything is classified: from now on no function that checks stores is a leaf. */
void cn_stationary_calls_record(struct cn_ctx *ctx);

#endif
