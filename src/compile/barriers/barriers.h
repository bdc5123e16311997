/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the passes insert-barriers and lower-barriers share. Private to them.
 */
#ifndef CN_COMPILE_BARRIERS_BARRIERS_H
#define CN_COMPILE_BARRIERS_BARRIERS_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/analysis/safepoint_free.h"
#include "compile/core/memory_types.h"
#include "compile/core/pass.h"

/* ---- accesses.c ---- */

/* What an instruction does to the references in managed memory. */
struct cn_access {
  enum {
    CN_ACCESS_NONE,
    CN_ACCESS_ONE,    /* one reference, at `slot` */
    CN_ACCESS_BULK,   /* those in `bytes` bytes from `slot` on */
    CN_ACCESS_CLEARS, /* the same, and what is written is no reference */
    CN_ACCESS_LANES,  /* one for each set bit of `mask`: where the lane of the vector `slot` says, or
                         so many places from `slot` on */
    CN_ACCESS_UNKNOWN /* no barrier covers it: `why` */
  } kind;
  LLVMValueRef slot;
  LLVMValueRef value; /* what is stored, if it is one value */
  LLVMValueRef bytes; /* an integer; null if the kind does not say so many */
  LLVMValueRef mask;
  const char *why;
};
struct cn_access cn_access_written(struct cn_ctx *ctx, LLVMValueRef instruction);
struct cn_access cn_access_read(struct cn_ctx *ctx, LLVMValueRef instruction);

/* ---- barrier_calls.c ---- */

struct cn_barrier_calls {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder; /* where the calls come */
  enum cairn_barriers kind;
};
void cn_barrier_call_store(const struct cn_barrier_calls *c, const struct cn_access *access);
/* For several references, of the access that `at` makes. */
void cn_barrier_call_range(const struct cn_barrier_calls *c, LLVMValueRef at, const struct cn_access *access);
/* Use what the barrier returns in the place of what was loaded. */
void cn_barrier_call_load(const struct cn_barrier_calls *c, LLVMValueRef load, const struct cn_access *access);
/* Does the module define the function itself? */
bool cn_barrier_is_defined(struct cn_ctx *ctx, const char *name);

/* ---- addressed_objects.c ---- */

/* Is it the address of a local, which is a root? */
bool cn_address_is_local(LLVMValueRef root);
/* The pointer from which GEPs form the address; and the one from which GEPs with constant indices
 * form it, *offset being the distance. */
LLVMValueRef cn_address_root_of(LLVMValueRef address);
LLVMValueRef cn_address_base(struct cn_ctx *ctx, LLVMValueRef address, uint64_t *offset);
/* Are the two one value, or GEPs with the same indices of such? */
bool cn_address_is_same(LLVMValueRef a, LLVMValueRef b);
/* Is it the start of an object, or null: loaded from managed memory, allocated, or a merge of
 * such; or does an attribute say so? */
bool cn_address_is_start(LLVMValueRef reference);
/* Is it a reference to an object that was allocated after the last safepoint before `at`? `small`:
 * in a block of at most CAIRN_ABI_INLINE_ALLOC_MAX bytes. */
bool cn_address_is_fresh(const struct cn_safepoint_free *windows, LLVMValueRef reference, LLVMValueRef at, bool small);

/* ---- elide.c ---- */

/* The barriers of one function that are emitted, for those that need none because of them. */
struct cn_barred {
  struct cn_ctx *ctx;
  enum cairn_barriers kind;
  const struct cn_safepoint_free *windows;
  struct cn_ptrmap last; /* root -> its last entry, counted from 1 */
  CN_VECTOR(struct cn_barred_at {
    LLVMValueRef at;
    LLVMValueRef base; /* of which the place is so far away; the first that is formed alike */
    uint64_t offset;
    LLVMValueRef bytes; /* null: one reference */
    bool wide;          /* of a run */
    size_t previous;
  })
  entries;
};
#define CN_NOT_BARRED SIZE_MAX
/* Why the read or write at `at` needs no barrier of this kind; null: it needs one, which is noted
 * as the last entry, unless lanes have one each. */
const char *cn_barrier_unneeded_read(struct cn_barred *barred, LLVMValueRef at, const struct cn_access *access);
const char *cn_barrier_unneeded_write(struct cn_barred *barred, LLVMValueRef at, const struct cn_access *access);
/* Entry `e` has become the barrier of all of a run; and is `e` needless because of such a one? */
void cn_barred_widen(struct cn_barred *barred, size_t e, uint64_t offset, LLVMValueRef bytes);
bool cn_barred_is_covered(const struct cn_barred *barred, size_t e);
void cn_barred_free(struct cn_barred *barred);

/* ---- coalesce.c ---- */

/* A write that needs its barrier. */
struct cn_pending {
  LLVMValueRef at;
  LLVMValueRef base; /* of the address, and the first that is formed alike; null: lanes have many */
  LLVMValueRef alike;
  uint64_t offset; /* from the base */
  uint64_t bytes;  /* that are written; 0: not known */
  uint32_t window;
  size_t entry;                /* of struct cn_barred, or CN_NOT_BARRED */
  bool one;                    /* it stores one reference */
  bool covered;                /* another barrier covers it, and a remark says so */
  bool joined;                 /* to the run of an earlier write */
  uint64_t run_low, run_bytes; /* this barrier covers so many bytes from there; 0: its own place */
};
struct cn_pendings {
  CN_VECTOR(struct cn_pending) writes; /* in the order of their barriers */
};
/* Find the runs among them, for cards. */
void cn_barrier_runs_find(struct cn_pendings *pendings);

#endif
