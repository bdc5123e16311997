/* SPDX-License-Identifier: Apache-2.0
 *
 * The places that ordinary pointers point to, followed through the functions of a module. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_POINTER_FLOW_H
#define CN_COMPILE_LOWER_POINTER_FLOW_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"

enum { CN_MAX_ORIGINS = 6 };

/* Places in a local or a global, the origin: `offset` plus all multiples of `stride`. Stride 0: the offset alone. */
struct cn_place_span {
  LLVMValueRef origin;
  uint64_t offset, stride;
};

/* The places of a pointer. Each origin has one span. A pointer that is always null or undefined has no span. */
struct cn_pointer_places {
  struct cn_place_span spans[CN_MAX_ORIGINS];
  unsigned count;
  bool unknown; /* the pointer may also point elsewhere */
};

struct cn_flow_value {
  LLVMValueRef value;
  struct cn_pointer_places places;
};

/* The pointers that were looked up so far. The caller sets `ctx`, and zeroes the rest. */
struct cn_pointer_flow {
  struct cn_ctx *ctx;
  CN_VECTOR(struct cn_flow_value) values;
  struct cn_ptrmap index;   /* value -> its index in `values` plus 1 */
  struct cn_ptrmap callers; /* function -> 1: all its callers are known; 2: not all */
};

/* The places of `pointer`. The module's functions and calls must stay unchanged between calls, except for new calls of
 * declared functions. */
struct cn_pointer_places cn_pointer_flow_find(struct cn_pointer_flow *flow, LLVMValueRef pointer);
void cn_pointer_flow_free(struct cn_pointer_flow *flow);

/* True if `user` is a call in managed code that uses `function` once, as its callee, and agrees with its type. */
bool cn_pointer_flow_is_plain_call(LLVMValueRef user, LLVMValueRef function);

/* A pointer and all values that GEPs, casts, phis and selects compute it from within its function; the origins are
 * among these values. */
typedef CN_VECTOR(LLVMValueRef) cn_pointer_sources;
cn_pointer_sources cn_pointer_sources_find(LLVMValueRef pointer);
bool cn_pointer_is_origin(LLVMValueRef pointer);

#endif
