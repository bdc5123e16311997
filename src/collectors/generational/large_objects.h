/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects of two generations, on separate pages (collectors/large_space.h): a collection marks those that it
 * reaches; marked ones are old, and a young collection frees the others.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H
#define CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_large_objects {
  size_t young, old; /* bytes of pages */
  size_t bare;       /* bytes of old ones without references at the end of the last full collection */
};
extern struct cn_large_objects cn_large_objects;

/* MUTATE, under the nursery's lock: allocate a young object. It may have nonzero bytes before `*zero`. 0: there is no
 * space. */
uintptr_t cn_large_objects_allocate(size_t bytes, uintptr_t *zero);

/* MUTATE, under the lock: lengthen the object to `bytes` in place, if that is more. False: there is no space behind
 * it. */
bool cn_large_objects_lengthen(uintptr_t block, size_t bytes);

/* STOP. The payload of the object whose block begins there, copied or not. */
uintptr_t cn_large_objects_payload_of(uintptr_t block);

/* STOP. False if the object holds no references, or its type is gone. */
bool cn_large_objects_has_references(uintptr_t block);

/* STOP, any number of threads at once. True if the object was young when the collection began. */
bool cn_large_objects_is_young(uintptr_t block);

/* STOP. cn_large_objects_make_all_young(), before a full collection: all become young.
 * cn_large_objects_end_collection(), after any collection: unmarked objects are freed, the others are old.
 * cn_large_objects_end_move(), after a collection that moved all: like that, and from then on no object is large. */
void cn_large_objects_make_all_young(void);
void cn_large_objects_end_collection(bool full);
void cn_large_objects_end_move(void);

/* STOP. cn_large_objects_free_unreached(): the marker (marker.h) has reached all reachable ones, and all are old; free
 * the others. cn_large_objects_reset_reached(): the marking is given up; the old ones count as unreached. */
void cn_large_objects_free_unreached(void);
void cn_large_objects_reset_reached(void);

#endif
