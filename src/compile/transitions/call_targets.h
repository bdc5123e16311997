/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose target is known only at run time. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_CALL_TARGETS_H
#define CN_COMPILE_TRANSITIONS_CALL_TARGETS_H

#include "compile/core/pass.h"

/* Route the calls of a function whose statepoints are final. */
void cn_route_pointer_calls_in(struct cn_ctx *ctx, LLVMValueRef function);

/* tail_frames.c: make a frame findable if its callees may move their return address. */
void cn_tail_frames_fix(struct cn_ctx *ctx, LLVMValueRef function);

#endif
