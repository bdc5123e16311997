/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk over all objects of the heap, for any collector that reports the ranges of its heap. The walk shares only
 * these ranges with the collector.
 */
#ifndef CN_RUNTIME_HEAP_HEAP_WALK_H
#define CN_RUNTIME_HEAP_HEAP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/grow.h"

struct cn_heap_range {
  uintptr_t start, end;
  bool blocks;      /* false: the range has no objects */
  uint64_t *starts; /* object_starts.c */
};

struct cn_buffer_gap { /* the free part of a mutator's buffer */
  uintptr_t start, end;
};

struct cn_heap_walk {
  const char *what; /* "CAIRN_VERIFY=heap: before", for messages */
  uint64_t collection;
  CN_GROW(struct cn_heap_range) ranges; /* sorted */
  CN_GROW(struct cn_buffer_gap) gaps;   /* sorted */
  uint64_t objects;                     /* object_starts.c */
};

/* End the program with a message that names the walk. */
#define CN_HEAP_WALK_FAIL(walk, format, ...) \
  cairn_fatal("%s collection %lu: " format, (walk)->what, (unsigned long)(walk)->collection, __VA_ARGS__)

struct cn_heap_object {
  const struct cn_heap_walk *walk;
  uintptr_t block, payload, end;
  const struct cairn_layout *layout; /* null: a header marks the object as gone */
};

/* cn_heap_walk_open() finds the ranges of the heap; cn_heap_walk_close() frees their lists. The caller has set `what`
 * and `collection`. Phase STOP, on the thread that stopped the others. Memory comes from the system. */
void cn_heap_walk_open(struct cn_heap_walk *walk);
void cn_heap_walk_close(struct cn_heap_walk *walk);

/* Call `visit` for each object of a range with blocks, including garbage and fillers. If a block has no valid object,
 * the program ends. */
typedef void cn_heap_object_visitor(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range);
void cn_heap_walk_visit_range(const struct cn_heap_walk *walk, const struct cn_heap_range *range,
                              cn_heap_object_visitor *visit, void *env);

/* The range that `address` lies in, or null. */
const struct cn_heap_range *cn_heap_walk_find_range(const struct cn_heap_walk *walk, uintptr_t address);

/* Call `visit` for each field of an object, including weak fields. `field` is an index into the layout's offsets. */
typedef void cn_heap_field_visitor(void *env, uint32_t field, struct cairn_slot slot);
void cn_heap_walk_visit_fields(const struct cn_heap_object *object, cn_heap_field_visitor *visit, void *env);

/* The object with this payload. Ends the program if the object is invalid, or ends after `end`. */
struct cn_heap_object cn_heap_walk_read_object(const struct cn_heap_walk *walk, uintptr_t payload, bool indexed,
                                               uintptr_t end);

#endif
