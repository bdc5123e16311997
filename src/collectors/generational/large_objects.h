/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects of two generations, on separate pages (collectors/large_space.h). A collection marks the large objects
 * that it reaches, which become old; a young collection frees the unmarked ones.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H
#define CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_large_objects {
  size_t young, old; /* bytes of pages */
  size_t bare;       /* bytes of old large objects without references at the end of the last full collection */
};
extern struct cn_large_objects cn_large_objects;

/* MUTATE, under the nursery's lock. Allocates a block for a young object, which may have nonzero bytes before `*zero`.
 * Returns 0 if there is no space. */
uintptr_t cn_large_objects_allocate(size_t bytes, uintptr_t *zero);

/* MUTATE, under the nursery's lock. Lengthens a shorter object to `bytes` in place. Returns false if there is no space
 * behind the object. */
bool cn_large_objects_lengthen(uintptr_t block, size_t bytes);

/* STOP, any number of threads at once; or MUTATE, for a live object. The payload of the object whose block begins at
 * `block`; the object may have been copied. */
uintptr_t cn_large_objects_payload_of(uintptr_t block);

/* STOP. False if the object has no references, or if its layout is gone. */
bool cn_large_objects_has_references(uintptr_t block);

/* STOP, any number of threads at once; or MUTATE. The block of old object number `i` of those with references, or 0 if
 * there are fewer. */
uintptr_t cn_large_objects_old_with_references(size_t i);

/* STOP, any number of threads at once. True if the object was young when the collection began. */
bool cn_large_objects_is_young(uintptr_t block);

/* STOP, in a young collection without a marker that promotes all young objects. Marks all young large objects. */
void cn_large_objects_reach_young(void);

/* STOP. Before a full collection, cn_large_objects_make_all_young() makes all large objects young. After any
 * collection, cn_large_objects_end_collection() frees unmarked objects, and makes marked objects old. After a
 * collection that moved all objects, cn_large_objects_end_move() does this, and from then on no object is large. */
void cn_large_objects_make_all_young(void);
void cn_large_objects_end_collection(bool full);
void cn_large_objects_end_move(void);

/* STOP. When the marker (marker.h) has reached all reachable objects, and all large objects are old,
 * cn_large_objects_free_unreached() frees the unreached ones. When a marking is abandoned,
 * cn_large_objects_reset_reached() makes all old large objects unreached again. */
void cn_large_objects_free_unreached(void);
void cn_large_objects_reset_reached(void);

#endif
