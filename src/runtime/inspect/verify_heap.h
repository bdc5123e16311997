/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_VERIFY=heap: checks the whole heap around each collection. The code shares only the ranges of the heap with the
 * collector.
 */
#ifndef CN_RUNTIME_INSPECT_VERIFY_HEAP_H
#define CN_RUNTIME_INSPECT_VERIFY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Check every object of the heap: its header is valid, it ends where the next one begins, and each of its references
 * points to the start of an object, or out of the heap. With `roots`, also check that each root points to an object,
 * into it or just past it, or out of the heap. The first violation ends the program; the message names the collection,
 * and says whether the check was before or `after` it. Phase STOP, on the thread that collects; with `roots`, after the
 * collection's enumeration of roots has ended. Allocates only from the system. */
void cn_verify_heap(bool after, uint64_t collection, bool roots);

struct cn_heap_walk;

/* In an open walk, before references are read: clear words of objects that may never have been filled (uncleared.h), if
 * they point into the heap, and miss the starts of objects. Phase STOP; allocates only from the system. */
void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap);

#endif
