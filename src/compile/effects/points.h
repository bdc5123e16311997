/* SPDX-License-Identifier: Apache-2.0
 *
 * Points, which are places of code that a runtime may patch: the calls of llvm.experimental.stackmap and patchpoint,
 * and statepoints with patch bytes (docs/patching.md). Reads the calls, and makes the operands that describe a point
 * (abi.def, "Points"). Private to src/compile.
 */
#ifndef CN_COMPILE_EFFECTS_POINTS_H
#define CN_COMPILE_EFFECTS_POINTS_H

#include "compile/core/emit.h"
#include "compile/core/pass.h"

/* A call of stackmap or patchpoint. The operands [first, live) are the arguments of the call, [live, end) the live
 * values; an earlier description begins at `end`. */
struct cn_point_call {
  LLVMValueRef call;
  bool is_patchpoint;
  uint64_t bytes;
  LLVMValueRef target; /* null for a stackmap */
  uint64_t arguments;  /* as the call says, perhaps more than it has */
  unsigned first, live, end;
};
bool cn_is_point_call(LLVMValueRef instruction);
struct cn_point_call cn_point_call_of(LLVMValueRef call);

/* True for a stackmap that pass describe-points itself made (abi.def, POINT_FENCE). */
bool cn_is_point_fence(LLVMValueRef instruction);

/* True if the record has the places of the call's arguments and of its result. */
bool cn_point_records_arguments(const struct cn_point_call *point);

/* The reason why LLVM 22 cannot record a value of the type, or null. */
const char *cn_point_type_flaw(LLVMTypeRef type);

/* The number of operands before a description at the end of the operands [first, end) of `user`; `end` if there is no
 * description. */
unsigned cn_point_find_description(LLVMValueRef user, unsigned first, unsigned end);

/* A description to make. `values` are described in their order. */
struct cn_point_description {
  uint64_t kind; /* CAIRN_ABI_POINT_SHADOW, ... */
  uint64_t convention, flags, bytes, arguments;
  const LLVMValueRef *values;
  size_t count;
};
void cn_point_append_description(struct cn_ctx *ctx, const struct cn_point_description *description,
                                 struct cn_operands *out);

/* The class and the width of a value in a description. A point has no values whose type has a flaw; a deopt value may
 * also be a vector, a long double, or a wide integer, and bfloat is described as an integer. */
uint64_t cn_point_class_word(struct cn_ctx *ctx, LLVMValueRef value);

#endif
