/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_VERIFY=heap: the whole heap is looked at beside each collection, by code that shares
 * nothing with the collector but where the heap is.
 */
#ifndef CN_RUNTIME_INSPECT_VERIFY_HEAP_H
#define CN_RUNTIME_INSPECT_VERIFY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Look at every object of the collector in use: its header is that of an object, it ends where the
 * next one begins, and each of its references leads to the start of an object, or out of the heap.
 * `roots`: each root leads to an object, into it or just past it, or out of the heap. The first
 * thing that does not hold ends the program; the message says in which collection, and
 * whether before or `after` it. Phase STOP, on the thread that collects; with `roots` after its
 * enumeration has ended. Allocates from the system alone. */
void cn_verify_heap(bool after, uint64_t collection, bool roots);

struct cn_heap_walk;

/* In an open walk, before references are read: clear the words of objects that may never have been
 * filled (uncleared.h), if they lead to no object. Phase STOP; allocates from the system alone. */
void cn_heap_clear_unfilled(struct cn_heap_walk *heap);

#endif
