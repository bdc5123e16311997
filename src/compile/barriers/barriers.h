/* SPDX-License-Identifier: Apache-2.0
 *
 * Interfaces between the files of the passes insert-barriers, lower-barriers and note-stores. Private to them.
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

/* The access of an instruction to references in managed memory. */
struct cn_access {
  enum {
    CN_ACCESS_NONE,
    CN_ACCESS_ONE_REFERENCE,  /* one reference, at `slot` */
    CN_ACCESS_RANGE,          /* the references in `bytes` bytes from `slot` on */
    CN_ACCESS_NON_REFERENCES, /* a write of bytes other than references to such a range */
    CN_ACCESS_LANES,  /* one for each set bit of `mask`: at the place in that lane of vector `slot`, or that many places
                         from `slot` on */
    CN_ACCESS_UNKNOWN /* barriers cannot cover it: `why` */
  } kind;
  LLVMValueRef slot;
  LLVMValueRef value; /* the stored value, if it is one */
  LLVMValueRef bytes; /* BULK and CLEARS: an integer */
  LLVMValueRef mask;
  const char *why;
};
struct cn_access cn_access_written_by(struct cn_ctx *ctx, LLVMValueRef instruction);
struct cn_access cn_access_read_by(struct cn_ctx *ctx, LLVMValueRef instruction);

/* ---- barrier_calls.c ---- */

struct cn_barrier_builder {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder; /* where the calls come */
  enum cairn_barriers kind;
};
void cn_barrier_emit_store_call(const struct cn_barrier_builder *c, const struct cn_access *access);
/* For an access of `at` to several references. */
void cn_barrier_emit_range_call(const struct cn_barrier_builder *c, LLVMValueRef at, const struct cn_access *access);
/* Replaces the uses of the loaded value by the result of the barrier. */
void cn_barrier_emit_load_call(const struct cn_barrier_builder *c, LLVMValueRef load, const struct cn_access *access);
/* True if the module defines the function. */
bool cn_barrier_is_defined(struct cn_ctx *ctx, const char *name);

/* ---- addressed_objects.c ---- */

/* True for the address of a local, which is a root. */
bool cn_address_is_local_root(LLVMValueRef root);
/* The root of the GEPs that form the address. */
LLVMValueRef cn_address_root_of(LLVMValueRef address);
/* The pointer at a constant distance from the address, *offset bytes before it. */
LLVMValueRef cn_address_base_and_offset(struct cn_ctx *ctx, LLVMValueRef address, uint64_t *offset);
/* True if both are one value, or GEPs with the same indices from one value. */
bool cn_address_has_same_form(LLVMValueRef a, LLVMValueRef b);
/* True for null and for the start of an object: loaded from managed memory, allocated, named by an attribute, or a
 * merge of such values. */
bool cn_address_is_object_start(LLVMValueRef reference);
/* True for a reference to an object that was allocated after the last safepoint before `at`. `small`: in a block of at
 * most CAIRN_ABI_INLINE_ALLOC_MAX bytes. */
bool cn_address_is_fresh_object(const struct cn_safepoint_free_intervals *windows, LLVMValueRef reference,
                                LLVMValueRef at, bool small);

/* ---- elide.c ---- */

/* The barriers of one function so far: later accesses to the same places are exempt. */
struct cn_barrier_history {
  struct cn_ctx *ctx;
  enum cairn_barriers kind;
  const struct cn_safepoint_free_intervals *windows;
  struct cn_ptrmap last; /* root -> its last entry, counted from 1 */
  CN_VECTOR(struct cn_barrier_history_entry {
    LLVMValueRef at;
    LLVMValueRef base;  /* the first one that is formed alike (cn_address_has_same_form()) */
    uint64_t offset;    /* bytes from the base to the place */
    LLVMValueRef bytes; /* null: one reference */
    bool wide;          /* the barrier of a group */
    size_t previous;    /* of the same root; counted from 1 */
  })
  entries;
};
#define CN_NOT_BARRED SIZE_MAX
/* The reason why the read or write at `at` needs no barrier of this kind. Null: it needs one, which is noted as the
 * last entry, except for lanes. */
const char *cn_why_read_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                         const struct cn_access *access);
const char *cn_why_write_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                          const struct cn_access *access);
/* Makes entry `e` the barrier of a group. */
void cn_barrier_history_widen(struct cn_barrier_history *barred, size_t e, uint64_t offset, LLVMValueRef bytes);
/* True if the barrier of a group covers entry `e`. */
bool cn_barrier_history_covers(const struct cn_barrier_history *barred, size_t e);
void cn_barrier_history_free(struct cn_barrier_history *barred);

/* ---- coalesce.c ---- */

/* A write that needs its barrier. */
struct cn_pending_write {
  LLVMValueRef at;
  LLVMValueRef base;           /* of the address; null: lanes */
  LLVMValueRef alike;          /* the first base that is formed alike */
  uint64_t offset;             /* bytes from the base */
  uint64_t bytes;              /* 0: unknown */
  uint32_t window;             /* its safepoint-free interval */
  size_t entry;                /* of struct cn_barrier_history, or CN_NOT_BARRED */
  bool one;                    /* it stores one reference */
  bool covered;                /* another barrier covers it, and a remark says so */
  bool joined;                 /* to the group of an earlier write */
  uint64_t run_low, run_bytes; /* its barrier covers so many bytes, run_low bytes from the base; 0: its own place */
};
struct cn_pending_writes {
  CN_VECTOR(struct cn_pending_write) writes; /* in the order of their barriers */
};
/* Finds the groups of writes, for cards. */
void cn_barrier_coalesce_writes(struct cn_pending_writes *pendings);

#endif
