/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the semispace collector share.
 */
#ifndef CN_COLLECTORS_SEMISPACE_H
#define CN_COLLECTORS_SEMISPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "collectors/spaces.h"

/* One collection: [from, from_end) is copied to [to, free). */
extern struct cn_copying {
  uintptr_t from, from_end, to, free;
  const struct cairn_layout *known; /* the last layout that was checked */
  uint64_t number;
  uint64_t objects;  /* that were copied */
  uint64_t asked;    /* for a hash, and were not */
  uintptr_t scanned; /* up to here copies have been scanned */
  bool mapped;       /* object starts are being looked up */
  bool uncleared;    /* what looks like a header may be none */
  bool moves;        /* large objects, too */
  struct cairn_words words;
} cn_copying;

/* STOP. The start of the object that `address`, found in the slot, leads to or just past; that lies
 * in from-space, or is large. They end the program if there is none. */
uintptr_t cn_semispace_interior(const uintptr_t *slot, uintptr_t address);
uintptr_t cn_semispace_interior_large(const uintptr_t *slot, uintptr_t address);
_Noreturn void cn_semispace_no_object(const uintptr_t *slot, uintptr_t address, const char *why);

/* STOP. Where a block of from-space ends, and its payload; the payload of a large object. */
uintptr_t cn_semispace_step(uintptr_t block, uintptr_t *payload);
uintptr_t cn_semispace_large_object(uintptr_t block);

/* The heap while the collector has the allocation buffer, [free, end). */
struct cn_semispace_view {
  const struct cn_space *current, *spare;
  size_t capacity; /* of current */
  uintptr_t free, end;
};

/* Phase STOP, before the first object is copied or after the last: what is wrong, or null. */
const char *cn_semispace_wrong(const struct cn_semispace_view *view);

/* STOP. Visit the ranges of large objects, and what lies between them. */
void cn_semispace_large_ranges(cairn_range_visitor *visit, void *env);

#endif
