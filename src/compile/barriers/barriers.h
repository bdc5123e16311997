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

/* An instruction's access to references in managed memory. */
struct cn_access {
  enum {
    CN_ACCESS_NONE,
    CN_ACCESS_ONE_REFERENCE,  /* one reference, at `slot` */
    CN_ACCESS_RANGE,          /* the references in `bytes` bytes from `slot` on */
    CN_ACCESS_NON_REFERENCES, /* a write of other data than references to a range */
    CN_ACCESS_LANES,  /* one reference per set bit of `mask`, at the addresses in vector `slot`, or in adjacent words
                         from `slot` on */
    CN_ACCESS_UNKNOWN /* no barrier can cover the access; `why` has the reason */
  } kind;
  LLVMValueRef slot;
  LLVMValueRef value; /* the stored value, or null */
  LLVMValueRef bytes; /* an integer: the length of the range */
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
/* Emits the barrier for an access of `at` to several references. */
void cn_barrier_emit_range_call(const struct cn_barrier_builder *c, LLVMValueRef at, const struct cn_access *access);
/* Replaces the uses of the loaded value by the result of the barrier. */
void cn_barrier_emit_load_call(const struct cn_barrier_builder *c, LLVMValueRef load, const struct cn_access *access);
bool cn_barrier_is_defined(struct cn_ctx *ctx, const char *name);

/* ---- addressed_objects.c ---- */

bool cn_address_is_local_root(LLVMValueRef root);
/* The root of the GEPs that form the address. */
LLVMValueRef cn_address_root_of(LLVMValueRef address);
/* The base that the address is computed from by constant GEPs; *offset is the distance in bytes. */
LLVMValueRef cn_address_base_and_offset(struct cn_ctx *ctx, LLVMValueRef address, uint64_t *offset);
/* True if the addresses are one value, or GEPs with equal indices from one value. */
bool cn_address_has_same_form(LLVMValueRef a, LLVMValueRef b);
/* True for null and for base pointers. A base pointer is loaded from managed memory, allocated, marked by an attribute,
 * or a phi or select of such values. */
bool cn_address_is_object_start(LLVMValueRef reference);
/* True for a reference to an object that was allocated after the last safepoint before `at`. If `small` is set, only
 * blocks of at most CAIRN_ABI_INLINE_ALLOC_MAX bytes count. */
bool cn_address_is_fresh_object(const struct cn_safepoint_free_intervals *windows, LLVMValueRef reference,
                                LLVMValueRef at, bool small);

/* ---- elide.c ---- */

/* The barriers of one function so far. A barrier exempts later accesses to its place. */
struct cn_barrier_history {
  struct cn_ctx *ctx;
  enum cairn_barriers kind;
  const struct cn_safepoint_free_intervals *windows;
  struct cn_ptrmap last; /* root -> the index of its last entry plus one */
  CN_VECTOR(struct cn_barrier_history_entry {
    LLVMValueRef at;
    LLVMValueRef base;  /* the first base of the same form (cn_address_has_same_form()) */
    uint64_t offset;    /* bytes from the base to the slot */
    LLVMValueRef bytes; /* null: one reference */
    bool wide;          /* the barrier of a group */
    size_t previous;    /* index of the previous entry of the root plus one, or 0 */
  })
  entries;
};
#define CN_NOT_BARRED SIZE_MAX
/* The reason why the read or write at `at` needs no barrier of this kind. If the access needs a barrier, the result is
 * null, and the barrier becomes the last entry, except for lanes. */
const char *cn_why_read_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                         const struct cn_access *access);
const char *cn_why_write_needs_no_barrier(struct cn_barrier_history *barred, LLVMValueRef at,
                                          const struct cn_access *access);
/* Makes entry `e` the barrier of a group. */
void cn_barrier_history_widen(struct cn_barrier_history *barred, size_t e, uint64_t offset, LLVMValueRef bytes);
bool cn_barrier_history_covers(const struct cn_barrier_history *barred, size_t e);
void cn_barrier_history_free(struct cn_barrier_history *barred);

/* ---- coalesce.c ---- */

struct cn_pending_write {
  LLVMValueRef at;
  LLVMValueRef base;           /* the base of the address; null for lanes */
  LLVMValueRef alike;          /* the first base of the same form */
  uint64_t offset;             /* bytes from the base */
  uint64_t bytes;              /* 0: unknown */
  uint32_t window;             /* its safepoint-free interval */
  size_t entry;                /* index in struct cn_barrier_history, or CN_NOT_BARRED */
  bool one;                    /* it stores one reference */
  bool covered;                /* another barrier covers the write, as a remark says */
  bool joined;                 /* the write is in the group of an earlier write */
  uint64_t run_low, run_bytes; /* its barrier covers run_bytes from base + run_low, or if 0 only the write */
};
struct cn_pending_writes {
  CN_VECTOR(struct cn_pending_write) writes; /* in the order of their barriers */
};
void cn_barrier_coalesce_writes(struct cn_pending_writes *pendings);

#endif
