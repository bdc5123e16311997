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
  LLVMValueRef slot;  /* null: the instruction leaves references in managed memory alone */
  LLVMValueRef value; /* the one reference that is stored; else null */
  LLVMValueRef bytes; /* several, in so many bytes */
  LLVMValueRef mask; /* several: lanes of a vector with their bits set. If `slot` is one pointer, they follow each other
                        from there on */
  bool clears;       /* the access stores words other than references */
  const char *beyond; /* the kind of an access that barriers cannot cover */
};
struct cn_barrier_access cn_barrier_write_of(struct cn_ctx *ctx, LLVMValueRef instruction);
struct cn_barrier_access cn_barrier_read_of(struct cn_ctx *ctx, LLVMValueRef instruction);

/* True if a barrier of `bytes` at `slot` is that of lane `lane` of the access. */
bool cn_barrier_covers_lane(struct cn_ctx *ctx, const struct cn_barrier_access *access, unsigned lane,
                            LLVMValueRef slot, LLVMValueRef bytes);
/* True if the mask surely leaves the lane out. */
bool cn_barrier_mask_skips_lane(LLVMValueRef mask, unsigned lane);

/* ---- barrier_facts.c ---- */

/* True if the stored word, on each path, is a constant, an immediate or an immovable reference. */
bool cn_barrier_is_immovable_value(LLVMValueRef value);
/* True if its object was allocated in this epoch. `small`: with a block of at most INLINE_ALLOC_MAX bytes. */
bool cn_barrier_is_fresh_object(const struct cn_epochs *epochs, LLVMValueRef reference, uint32_t epoch, bool small);

#endif
