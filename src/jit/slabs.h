/* SPDX-License-Identifier: Apache-2.0
 *
 * Slabs: large mappings near the program's code. Linked objects take parts of them. Code and constants are in slabs
 * that are mapped twice, executable and writable; data is in plain memory. Private to src/jit. The session's lock
 * covers all calls and the state.
 */
#ifndef CN_JIT_SLABS_H
#define CN_JIT_SLABS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cn_slab_kind {
  CN_SLAB_CODE, /* readable and executable; written through `writable` of a part */
  CN_SLAB_DATA, /* readable and writable */
  CN_SLAB_KINDS
};

enum {
  CN_SLAB_BYTES = 1 << 20,      /* of a slab, unless a part needs more */
  CN_SLAB_GRANULE_BYTES = 64,   /* parts begin and end at multiples of this size in their slab */
  CN_SLAB_MAX_ALIGNMENT = 4096, /* of parts */
  CN_SLAB_SIZE_CLASSES = 64,    /* of gaps */
  CN_FRAME_TABLES_KEPT = 1024   /* registrations of a slab's tables that are gone */
};

struct cn_slab;
struct cn_gap;

/* The call-frame information of a slab's parts, for unwinding.c. */
struct cn_frame_table {
  void **parts; /* the registered array, which ends in a null pointer; null: none */
  size_t count;
  void *object; /* of the unwinder */
  /* Data of the last registrations that are gone. libgcc's unwinder reads the data of a table outside of its lock. */
  void *withdrawn[CN_FRAME_TABLES_KEPT];
  size_t withdrawals;
};

/* Zeroed memory of a slab. */
struct cn_slab_part {
  struct cn_slab *slab; /* null: the part is empty */
  uintptr_t address;    /* aligned as wanted */
  char *writable;       /* the place to write the part's bytes to; `address` itself in data slabs */
  uintptr_t start;      /* of the part's first granule */
  size_t bytes;         /* of all granules */
};

struct cn_slab_store {
  struct cn_slab *slabs;                     /* of this kind */
  struct cn_gap *gaps[CN_SLAB_SIZE_CLASSES]; /* by size; each list is linked both ways */
  uint64_t used_classes;                     /* bit N: gaps[N] has elements */
  struct cn_slab *empty;                     /* a slab whose one gap is all of it, or null */
  size_t count;                              /* of slabs */
};

/* At first only `near` is set. */
struct cn_slabs {
  uintptr_t near; /* an address in the program's code: slabs lie within 1 GiB of it */
  struct cn_slab_store stores[CN_SLAB_KINDS];
};

/* Take `bytes` bytes (at least 1), aligned to `alignment`, a power of two. False: the system refuses
 * memory; `*error` is the message, from malloc(). */
bool cn_slabs_take(struct cn_slabs *slabs, enum cn_slab_kind kind, size_t bytes, size_t alignment,
                   struct cn_slab_part *part, char **error);

/* Give a part back, and clear its bytes. One empty slab of each kind stays mapped. */
void cn_slabs_give(struct cn_slabs *slabs, struct cn_slab_part *part);

/* The slab's table, which belongs to unwinding.c. */
struct cn_frame_table *cn_slab_frames(struct cn_slab *slab);

/* Unmap all slabs, after all parts came back. */
void cn_slabs_free(struct cn_slabs *slabs);

/* The first fault of the gaps, or null, in linear time. */
const char *cn_slabs_wrong(const struct cn_slabs *slabs);

#ifdef __cplusplus
}
#endif

#endif
