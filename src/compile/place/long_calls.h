/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of leaves whose time depends on an argument. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LONG_CALLS_H
#define CN_COMPILE_PLACE_LONG_CALLS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/place/poll.h"

/* The result of a call of such a leaf. */
enum cn_long_result {
  CN_LONG_NOTHING,
  CN_LONG_FIRST,   /* its first argument */
  CN_LONG_DIFFERS, /* a difference; the call ends at the first nonzero one */
  CN_LONG_FOUND,   /* a place; the call ends at the first one found */
};

struct cn_long_call {
  LLVMValueRef call;
  unsigned places;  /* the number of arguments, one or two, that are the memory that the call reads and writes */
  unsigned length;  /* the index of the argument that is a number of bytes */
  bool overlapping; /* the places may overlap, as of memmove */
  uint64_t element; /* bytes of an atomic element, and the alignment of the places; 0 for plain calls */
  enum cn_long_result result;
  uint64_t limit; /* calls of up to `limit` bytes stay as they are; 0 if all are cut */
  uint64_t piece; /* longer calls are made in pieces of `piece` bytes, a power of two */
};

/* Cut the calls in `function` that may take longer than a call may (CN_CALL_WORK). Add to `polled`
 * the latches of the loops that are made, which poll already. */
void cn_long_calls(struct cn_ctx *ctx, LLVMValueRef function, struct cn_polls *polls, struct cn_ptrmap *polled);

/* Have the calls in `function` whose strings may be too long ask for their lengths, and make long
 * ones through transitions (long_strings.c). Not with a poll of the module's own. */
void cn_long_strings(struct cn_ctx *ctx, LLVMValueRef function);

/* The size of the local or global that the pointer points into; UINT64_MAX: unknown. */
uint64_t cn_long_room(struct cn_ctx *ctx, LLVMValueRef pointer);
/* The limit in bytes: longer memory is long. */
uint64_t cn_long_limit(struct cn_ctx *ctx);
/* True if the call has "cairn-work", like the clearing of an object allocated in line: a collection must not see an
 * object that is half cleared. */
bool cn_long_is_said_short(LLVMValueRef call);

/* Cut a call in place (long_calls_cut.c), or in its own function (long_calls_outline.c) if that function can be told
 * the places. The call stays for short lengths; it is deleted if all lengths are too long. */
void cn_long_outline(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_polls *polls,
                     struct cn_ptrmap *polled);
void cn_long_cut(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_polls *polls,
                 struct cn_ptrmap *polled);

#endif
