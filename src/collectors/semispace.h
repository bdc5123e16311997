/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the parts of the semispace collector.
 */
#ifndef CN_COLLECTORS_SEMISPACE_H
#define CN_COLLECTORS_SEMISPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "collectors/spaces.h"

/* A collection: [from, from_end) is copied to [to, free). */
extern struct cn_semispace_copying {
  uintptr_t from, from_end, to, free;
  const struct cairn_layout *known; /* the layout of the block that was checked last */
  uint64_t number;
  uint64_t objects;  /* copied */
  uint64_t asked;    /* unmoved objects whose identity hash was asked for */
  uintptr_t scanned; /* the end of the scanned copies */
  bool mapped;       /* the crossing map is in use */
  bool uncleared;    /* a word that looks like a header may be data */
  bool moves;        /* copies large objects, too */
  struct cairn_words words;
} cn_semispace_copying;

/* STOP. The start of the object of `address`, which `slot` holds; `address` lies in the object or just past its end.
 * cn_semispace_find_object() finds objects in from-space, cn_semispace_find_large_object() large objects. Both
 * functions end the program if no object is there.
 */
uintptr_t cn_semispace_find_object(const uintptr_t *slot, uintptr_t address);
uintptr_t cn_semispace_find_large_object(const uintptr_t *slot, uintptr_t address);
_Noreturn void cn_semispace_die_no_object(const uintptr_t *slot, uintptr_t address, const char *why);

/* STOP. cn_semispace_step_over_block() returns the end of a block of from-space and sets `*payload`.
 * cn_semispace_large_payload() returns the payload of a large object. */
uintptr_t cn_semispace_step_over_block(uintptr_t block, uintptr_t *payload);
uintptr_t cn_semispace_large_payload(uintptr_t block);

/* The heap while the collector itself holds the allocation buffer [free, end). */
struct cn_semispace_heap_view {
  const struct cn_space *current, *spare;
  size_t capacity; /* of current */
  uintptr_t free, end;
};

/* STOP. Describes a fault of the heap, or returns null. Call this function before a collection copies its first object,
 * or after the last copy. */
const char *cn_semispace_heap_wrong(const struct cn_semispace_heap_view *view);

/* STOP. Visit the ranges of large objects, and the gaps between them. */
void cn_semispace_visit_large_ranges(cairn_range_visitor *visit, void *env);

#endif
