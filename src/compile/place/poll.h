/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits polls. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_H
#define CN_COMPILE_PLACE_POLL_H

#include "compile/place/user_poll.h"

/* The place of the slow call, from the fastest code to the smallest. */
enum cn_poll_form {
  CN_POLL_FORM_AT_FUNCTION_END, /* after the function's end: two instructions, 22 to 25 bytes */
  CN_POLL_FORM_IN_PLACE,        /* in place, with a branch past it: two instructions, 16 bytes */
  CN_POLL_FORM_STUB_CALL        /* the stub reads the word: four instructions, 5 bytes */
};

struct cn_poll_emitter {
  struct cn_ctx *ctx;
  LLVMValueRef user; /* the module's own @gc.safepoint_poll, or null */
  LLVMValueRef slow; /* cairn_poll_slow, or null */
  LLVMValueRef stub; /* cairn_poll; null: all polls are in line */
  unsigned count;    /* emitted so far */
};

/* Find or declare what polls need; false if an error was reported, before the module is changed. */
bool cn_polls_begin(struct cn_poll_emitter *polls, struct cn_ctx *ctx);

/* Insert a poll before `at`, which must be neither a phi nor a landing pad. Places in safepoint-free regions get no
 * poll. The module's own poll has only one form, and at -Os and -Oz each poll is called. */
void cn_poll_emit(struct cn_poll_emitter *polls, LLVMValueRef at, enum cn_poll_form form);

/* After the last poll: inline the module's own poll at each of them; drop unused declarations. */
bool cn_polls_end(struct cn_poll_emitter *polls);

#endif
