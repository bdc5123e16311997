/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits polls. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_H
#define CN_COMPILE_PLACE_POLL_H

#include "compile/place/user_poll.h"

/* The place of the call of the slow path, from the fastest code to the smallest. */
enum cn_poll_form {
  CN_POLL_FORM_AT_FUNCTION_END, /* at the function's end: two instructions on the fast path, 22 to 25 bytes */
  CN_POLL_FORM_IN_PLACE,        /* in place, with a branch past it: two instructions on the fast path, 16 bytes */
  CN_POLL_FORM_STUB_CALL        /* a call of the stub, which reads the word: four instructions, 5 bytes */
};

struct cn_poll_emitter {
  struct cn_ctx *ctx;
  LLVMValueRef user; /* the module's own @gc.safepoint_poll, or null */
  LLVMValueRef slow; /* cairn_poll_slow, or null */
  LLVMValueRef stub; /* cairn_poll; null if all polls are in line */
  unsigned count;    /* emitted so far */
};

/* Find or declare the functions that polls call; false after an error, with the module unchanged. */
bool cn_polls_begin(struct cn_poll_emitter *polls, struct cn_ctx *ctx);

/* Insert a poll before `at`, which must be neither a phi nor a landing pad, unless `at` is in a safepoint-free
 * interval. `form` is ignored for the module's own poll, and at -Os and -Oz, where each poll calls the stub. */
void cn_poll_emit(struct cn_poll_emitter *polls, LLVMValueRef at, enum cn_poll_form form);

/* Inline the module's own poll at all inserted polls, and drop unused declarations. Called after the last poll. */
bool cn_polls_end(struct cn_poll_emitter *polls);

#endif
