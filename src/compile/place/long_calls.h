/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of leaves whose time depends on an argument. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LONG_CALLS_H
#define CN_COMPILE_PLACE_LONG_CALLS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/place/poll.h"

/* The result of such a call. */
enum cn_long_result {
  CN_LONG_NOTHING,
  CN_LONG_FIRST,   /* its first argument */
  CN_LONG_DIFFERS, /* not zero: a difference, which ends it */
  CN_LONG_FOUND,   /* not null: a place, which ends it */
};

struct cn_long_call {
  LLVMValueRef call;
  unsigned places;  /* so many arguments, one or two, are the memory that it reads and writes */
  unsigned length;  /* the index of the argument that is a number of bytes */
  bool overlapping; /* the places may overlap, as of memmove */
  uint64_t element; /* its atomic elements have so many bytes, as the places' alignment; 0: none */
  enum cn_long_result result;
  uint64_t limit; /* calls of up to so many bytes stay as they are; 0: none does */
  uint64_t piece; /* else it is made in pieces of so many bytes, a power of two */
};

/* Cut the calls in `function` that may take longer than a call may (CN_CALL_WORK). Add to `polled`
 * the latches of the loops that are made, which poll already. */
void cn_long_calls(struct cn_ctx *ctx, LLVMValueRef function, struct cn_polls *polls, struct cn_ptrmap *polled);

/* Have the calls in `function` whose strings may be too long ask for their lengths, and make long
 * ones through transitions (long_strings.c). Not with a poll of the module's own. */
void cn_long_strings(struct cn_ctx *ctx, LLVMValueRef function);

/* The size of the local or global that the pointer points into; UINT64_MAX: unknown. */
uint64_t cn_long_room(struct cn_ctx *ctx, LLVMValueRef pointer);
/* What is longer, in bytes, is long. */
uint64_t cn_long_limit(struct cn_ctx *ctx);
/* Has the call "cairn-work", as the clearing of what is allocated in line? Half done, an object
 * must not be collected. */
bool cn_long_is_said_short(LLVMValueRef call);

/* Cut one where it is (long_calls_cut.c), or in a function of its own (long_calls_outline.c), if
 * that can be told the places. The call stays for short lengths; it is deleted if none is short
 * enough. */
void cn_long_outline(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_polls *polls,
                     struct cn_ptrmap *polled);
void cn_long_cut(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_polls *polls,
                 struct cn_ptrmap *polled);

#endif
