/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls whose target only running code knows (call_targets.c, rebuild.c, bridges.c). Private to
 * src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_CALL_TARGETS_H
#define CN_COMPILE_TRANSITIONS_CALL_TARGETS_H

#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/pass.h"

/* What a call or a statepoint calls: its operand index, the type of the call, and its arguments. */
struct cn_call_target {
  LLVMValueRef call;
  LLVMTypeRef type; /* null: a statepoint that does not say */
  unsigned callee_operand;
  unsigned first, count; /* operands */
  bool is_statepoint;
};
struct cn_call_target cn_call_target_of(LLVMValueRef call);

static inline LLVMValueRef cn_call_target_callee(const struct cn_call_target *site)
{
  return LLVMGetOperand(site->call, site->callee_operand);
}

/* A nest argument of the program's own, or that of a call that is done already. */
bool cn_call_target_uses_nest(const struct cn_call_target *site);

/* ---- what a callee is (transitions.c) ---- */

bool cn_target_is_stub(LLVMValueRef callee);
/* The managed function that a direct call reaches for certain, or null. */
LLVMValueRef cn_target_managed(LLVMValueRef callee);
/* Does the site promise that its callee is managed? */
bool cn_target_is_promised(LLVMValueRef call);

/* ---- the pass ---- */

/* The calls of a function whose statepoints are final. */
void cn_call_targets_in(struct cn_ctx *ctx, LLVMValueRef function);
/* Send a call, or statepoint, to `stub`, which finds the target in the register that only `nest`
 * arguments use. */
void cn_call_through(struct cn_ctx *ctx, const struct cn_call_target *site, LLVMValueRef stub,
                     LLVMValueRef target);

/* tail_frames.c: make the frame findable where callees may move their return address. */
void cn_tail_frames(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- rebuild.c ---- */

/* What is other about the new call. */
struct cn_rebuild {
  LLVMValueRef callee;
  LLVMValueRef more[2]; /* arguments behind those that there are; the last is `nest` */
  unsigned more_count;
  unsigned convention;
  bool keeps_passing; /* false: of arguments' attributes only those of C remain */
};
/* The same call once more in the place of the old one, which is erased. */
LLVMValueRef cn_rebuild_call(struct cn_ctx *ctx, const struct cn_call_target *site,
                             const struct cn_rebuild *change);

/* ---- bridges.c ---- */

/* A native function of the C convention that takes the arguments of `site` and then the target, and
 * makes the call. */
LLVMValueRef cn_bridge_native(struct cn_ctx *ctx, const struct cn_call_target *site);
/* A managed function of the site's convention that takes the target as `nest` and does so through
 * such a native one. */
LLVMValueRef cn_bridge_managed(struct cn_ctx *ctx, const struct cn_call_target *site);

/* A stub of the runtime, declared. */
LLVMValueRef cn_stub(struct cn_ctx *ctx, const char *name);

/* Is the attribute one of those that say how an argument is passed under the C convention? */
bool cn_attribute_is_of_c(LLVMAttributeRef attribute);

#endif
