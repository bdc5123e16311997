/* SPDX-License-Identifier: Apache-2.0
 *
 * The starts of objects: a bit for each word of the heap.
 */
#ifndef CN_RUNTIME_INSPECT_OBJECT_STARTS_H
#define CN_RUNTIME_INSPECT_OBJECT_STARTS_H

#include "runtime/heap/heap_walk.h"

/* Note the start of each object of an open walk, including fillers, and set `objects` to their number. One walk at a
 * time has starts. Memory comes from the system, and stays for the next walk. False: memory is exhausted. */
bool cn_object_starts_make(struct cn_heap_walk *walk);
void cn_object_starts_free(struct cn_heap_walk *walk);

/* The start of the range's last object that begins at `address` or before; 0: there is no such object. */
uintptr_t cn_object_starts_find_last(const struct cn_heap_range *range, uintptr_t address);

/* The number of objects of the heap that start below `payload`. */
uint64_t cn_object_starts_number_of(const struct cn_heap_range *range, uintptr_t payload);

#endif
