/* SPDX-License-Identifier: Apache-2.0
 *
 * One poll. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_H
#define CN_COMPILE_PLACE_POLL_H

#include "compile/place/user_poll.h"

struct cn_polls {
  struct cn_ctx *ctx;
  LLVMValueRef user; /* the module's own @gc.safepoint_poll, or null */
  LLVMValueRef slow; /* cairn_poll_slow, or cairn_poll; or null */
  unsigned count;    /* emitted so far */
};

/* Find or declare what polls need; false if an error was reported, before the module is changed. */
bool cn_polls_begin(struct cn_polls *polls, struct cn_ctx *ctx);

/* Insert a poll before `at`, which is no phi. */
void cn_poll_emit(struct cn_polls *polls, LLVMValueRef at);

/* After the last poll: inline the module's own poll at each of them. */
bool cn_polls_end(struct cn_polls *polls);

#endif
