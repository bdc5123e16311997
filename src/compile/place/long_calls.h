/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts calls of leaves whose time depends on an argument. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LONG_CALLS_H
#define CN_COMPILE_PLACE_LONG_CALLS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/place/poll.h"

/* The result of such a call, and when its loop of pieces may end early. */
enum cn_long_result {
  CN_LONG_RESULT_NONE,
  CN_LONG_RESULT_FIRST_ARGUMENT, /* the first argument */
  CN_LONG_RESULT_COMPARISON,     /* an integer, zero for equal places; the loop ends at the first nonzero one */
  CN_LONG_RESULT_FOUND_POINTER,  /* a pointer or null; the loop ends at the first pointer */
};

struct cn_long_call {
  LLVMValueRef call;
  unsigned places;  /* the number of arguments, one or two, that are the memory that the call reads and writes */
  unsigned length;  /* the index of the argument that is a number of bytes */
  bool overlapping; /* the places may overlap, as of memmove */
  uint64_t element; /* bytes of an element of an atomic call, the alignment of its places; 0 for other calls */
  enum cn_long_result result;
  uint64_t limit; /* shorter calls, and those of `limit` bytes, stay as they are; 0: all calls are cut */
  uint64_t piece; /* longer calls are made in pieces of `piece` bytes, a power of two */
};

/* Cut the calls in `function` that may take longer than a call may (CN_CALL_WORK). Add the latches of the new loops to
 * `polled`: they have polls already. */
void cn_long_calls_cut(struct cn_ctx *ctx, LLVMValueRef function, struct cn_poll_emitter *polls,
                       struct cn_ptrmap *polled);

/* Change the calls in `function` whose strings may be too long: they ask for the lengths, and make long calls through
 * transitions (long_strings.c). Only for modules that poll by Cairn's runtime: the module's own poll rules this out. */
void cn_long_strings_guard_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* The size of the local or global that the pointer points into; UINT64_MAX: unknown. */
uint64_t cn_long_pointee_size(struct cn_ctx *ctx, LLVMValueRef pointer);
/* The limit in bytes: longer memory is long. */
uint64_t cn_long_limit_bytes(struct cn_ctx *ctx);
/* True if the call has "cairn-work", like the clearing of an object allocated in line. A collection must see such an
 * object only when it is completely cleared. */
bool cn_long_is_declared_short(LLVMValueRef call);

/* Cut a call in place (long_calls_cut.c), or in its own function (long_calls_outline.c) if that function can be told
 * the places. The call stays for short lengths; it is deleted if all lengths are too long. */
void cn_long_outline_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                          struct cn_ptrmap *polled);
void cn_long_cut_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                      struct cn_ptrmap *polled);

#endif
