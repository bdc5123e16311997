/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps, places and checks of the heap.
 */
#ifndef CN_RUNTIME_INSPECT_INSPECT_H
#define CN_RUNTIME_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>
#include "dump/format.h"
#include "runtime/heap/heap_walk.h"

/* ---- heap_dump.c: CAIRN_DUMP: a heap dump of a program that has run out of memory ---- */

/* Write the file that CAIRN_DUMP names, or print the reason for the failure. The caller has stopped the world, at a
 * safepoint. */
void cn_dump_exhausted_heap(void);

/* ---- object_starts.c: the starts of objects: a bit for each word of the heap ---- */

/* Note the start of each object of an open walk, including fillers, and set `objects` to their number. One walk at a
 * time has starts. Memory comes from the system, and stays for the next walk. False: memory is exhausted. */
bool cn_object_starts_make(struct cn_heap_walk *walk);
void cn_object_starts_free(struct cn_heap_walk *walk);

/* The start of the range's last object that begins at `address` or before; 0: there is no such object. */
uintptr_t cn_object_starts_find_last(const struct cn_heap_range *range, uintptr_t address);

/* The number of objects of the heap that start below `payload`. */
uint64_t cn_object_starts_number_of(const struct cn_heap_range *range, uintptr_t payload);

/* ---- places.c: enumerates roots with their places, and formats places for messages ---- */

struct cn_root_place {
  enum cn_dump_root_kind kind;
  uintptr_t at; /* for a root on a stack: the pc of the activation; otherwise the slot's address */
  int thread;   /* for a root on a stack: the stack's thread */
};

/* Call `visit` for each root of all stacks, images and handles, except null references and immediates. `address` lies
 * in an object, just past an object's end, or outside the heap. Changes no object and no return barrier. Phase STOP,
 * also during a collection. */
typedef void cn_root_place_visitor(void *env, const struct cn_root_place *place, uintptr_t address);
void cn_places_visit_roots(cn_root_place_visitor *visit, void *env);

/* Write "thread 17 "list": main at list.c:14", "global table" or "handle", and return the length like snprintf(). */
int cn_describe_place(const struct cn_root_place *place, char *text, size_t size);
enum { CN_PLACE_TEXT_BYTES = 320 };

/* ---- verify_heap.c ---- */

/* CAIRN_VERIFY=heap checks the whole heap before and after each collection. The check shares only the ranges of the
 * heap with the collector. */

/* Check that each object of the heap has a valid header, that the next object begins at its end, and that each of its
 * references points to the start of an object or outside the heap. With `roots`, also check that each root points into
 * an object, just past an object's end, or outside the heap. The first violation ends the program; the message names
 * the collection, and tells whether the check ran before or `after` the collection. Phase STOP, on the collecting
 * thread; with `roots`, after the collection's enumeration of roots. Allocates only from the system. */
void cn_verify_heap(bool after, uint64_t collection, bool roots);

struct cn_heap_walk;

/* Clear the invalid references in objects that may be unfilled (uncleared.c): words that point into the heap, but not
 * to the start of an object. Called in an open walk, before references are read. Phase STOP; allocates only from the
 * system. */
void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap);

/* ---- world.c: stops the world for a reader of the heap (<cairn/heap.h>) ---- */

struct cn_stopped_world {
  struct cn_heap_walk walk;
  bool entered; /* result of cn_image_begin_reading() */
};

/* Stop all threads and open a walk of the heap. Messages name `what`, the called function, and `pc`, its caller. The
 * results BUSY and UNSEEN are as in <cairn/heap.h>; all threads then run on. */
enum cairn_status cn_world_stop(struct cn_stopped_world *world, const char *what, uintptr_t pc);
void cn_world_resume(struct cn_stopped_world *world);

/* Call `visit` for each object except fillers, in the order of addresses. */
void cn_world_walk_objects(const struct cn_stopped_world *world, cn_heap_object_visitor *visit, void *env);

/* The object at this payload in the open walk; for visitors that read other objects. */
struct cn_heap_object cn_world_object_at(const struct cn_stopped_world *world, uintptr_t payload);

#endif
