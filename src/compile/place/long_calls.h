/* SPDX-License-Identifier: Apache-2.0
 *
 * Cuts calls of leaves whose time depends on an argument. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_LONG_CALLS_H
#define CN_COMPILE_PLACE_LONG_CALLS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"
#include "compile/place/poll.h"

/* The result of a call that is cut, and the condition that ends its loop of pieces early. */
enum cn_long_result {
  CN_LONG_RESULT_NONE,
  CN_LONG_RESULT_FIRST_ARGUMENT, /* the first argument */
  CN_LONG_RESULT_COMPARISON,     /* an integer, zero for equal memory; the loop ends at the first nonzero result */
  CN_LONG_RESULT_FOUND_POINTER,  /* a pointer or null; the loop ends at the first nonnull result */
};

struct cn_long_call {
  LLVMValueRef call;
  unsigned places;  /* the number of pointer arguments to the accessed memory, one or two */
  unsigned length;  /* the index of the argument that is a number of bytes */
  bool overlapping; /* source and destination may overlap, as in memmove */
  uint64_t element; /* the element size of an atomic call, whose memory is aligned to it; 0 for other calls */
  enum cn_long_result result;
  uint64_t limit; /* calls for at most `limit` bytes stay unchanged; 0: all calls are cut */
  uint64_t piece; /* the size of the pieces of longer calls, a power of two */
};

/* Cut the calls in `function` that may do more than CN_CALL_WORK. Add the latches of the new loops, which have polls
 * already, to `polled`. */
void cn_long_calls_cut(struct cn_ctx *ctx, LLVMValueRef function, struct cn_poll_emitter *polls,
                       struct cn_ptrmap *polled);

/* Guard the calls in `function` whose strings may be too long: calls on strings above a limit go through transitions
 * (long_strings.c). Modules with their own poll stay unchanged. */
void cn_long_strings_guard_calls(struct cn_ctx *ctx, LLVMValueRef function);

/* The size of the local or global that the pointer points into, or UINT64_MAX if unknown. */
uint64_t cn_long_pointee_size(struct cn_ctx *ctx, LLVMValueRef pointer);
/* The limit in bytes above which the memory of a call counts as long. */
uint64_t cn_long_limit_bytes(struct cn_ctx *ctx);
/* True if the call has "cairn-work", for instance the call that clears an object after its in-line allocation. A
 * collection must see an allocated object only after such a call has cleared all of it. */
bool cn_long_is_declared_short(LLVMValueRef call);

/* Cut a call in place (long_calls_cut.c), or in a helper function (long_calls_outline.c) if arguments can describe the
 * memory. The old call stays for short lengths, unless all lengths are too long. */
void cn_long_outline_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                          struct cn_ptrmap *polled);
void cn_long_cut_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                      struct cn_ptrmap *polled);

#endif
