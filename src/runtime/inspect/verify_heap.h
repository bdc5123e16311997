/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_VERIFY=heap checks the whole heap before and after each collection. The check shares only the ranges of the
 * heap with the collector.
 */
#ifndef CN_RUNTIME_INSPECT_VERIFY_HEAP_H
#define CN_RUNTIME_INSPECT_VERIFY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Check that each object of the heap has a valid header, that the next object begins at its end, and that each of its
 * references points to the start of an object or outside the heap. With `roots`, also check that each root points into
 * an object, just past an object's end, or outside the heap. The first violation ends the program; the message names
 * the collection, and tells whether the check ran before or `after` the collection. Phase STOP, on the collecting
 * thread; with `roots`, after the collection's enumeration of roots. Allocates only from the system. */
void cn_verify_heap(bool after, uint64_t collection, bool roots);

struct cn_heap_walk;

/* Clear the invalid references in objects that may be unfilled (uncleared.h): words that point into the heap, but not
 * to the start of an object. Called in an open walk, before references are read. Phase STOP; allocates only from the
 * system. */
void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap);

#endif
