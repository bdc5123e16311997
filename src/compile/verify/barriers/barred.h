/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that must have a barrier, and facts that exempt some of them. Private to pass verify-barriers.
 */
#ifndef CN_COMPILE_VERIFY_BARRIERS_BARRED_H
#define CN_COMPILE_VERIFY_BARRIERS_BARRED_H

#include "compile/verify/verify.h"

/* ---- barrier_accesses.c: accesses that must have a barrier ---- */

struct cn_barrier_access {
  LLVMValueRef at;
  LLVMValueRef slot;  /* null if the instruction keeps references in managed memory unchanged */
  LLVMValueRef value; /* the stored reference if there is one; else null */
  LLVMValueRef bytes; /* the size of an access to several references */
  LLVMValueRef mask;  /* the mask of a vector access, with a bit set for each accessed lane. If `slot` is one pointer,
                       * the lanes are consecutive in memory from `slot` on */
  bool clears;        /* the access stores words other than references */
  const char *beyond; /* the kind of the access if barriers cannot cover it */
};
struct cn_barrier_access cn_barrier_write_of(struct cn_ctx *ctx, LLVMValueRef instruction);
struct cn_barrier_access cn_barrier_read_of(struct cn_ctx *ctx, LLVMValueRef instruction);

/* True if a barrier of `bytes` at `slot` covers lane `lane` of the access. */
bool cn_barrier_covers_lane(struct cn_ctx *ctx, const struct cn_barrier_access *access, unsigned lane,
                            LLVMValueRef slot, LLVMValueRef bytes);
/* True if the mask is proved to exclude the lane. */
bool cn_barrier_mask_skips_lane(LLVMValueRef mask, unsigned lane);

/* ---- barrier_facts.c ---- */

/* True if the stored word is a constant, an immediate or an immovable reference on each path. */
bool cn_barrier_is_immovable_value(LLVMValueRef value);
/* True if the reference's object was allocated in this epoch. `small` restricts this to objects of at most
 * INLINE_ALLOC_MAX bytes. */
bool cn_barrier_is_fresh_object(const struct cn_epochs *epochs, LLVMValueRef reference, uint32_t epoch, bool small);

#endif
