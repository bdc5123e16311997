/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects, which have pages of their own (collectors/large_space.h) and two generations as well:
 * one that a collection reached stays marked, and is old; a young collection frees the others.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H
#define CN_COLLECTORS_GENERATIONAL_LARGE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_large_objects {
  size_t young, old; /* bytes of pages, */
  size_t bare;       /* of old ones without references when the last full collection ended */
};
extern struct cn_large_objects cn_large_objects;

/* MUTATE, under the nursery's lock: a young one. Before `*zero` it may be other than zero. 0: no
 * room. */
uintptr_t cn_large_objects_allocate(size_t bytes, uintptr_t *zero);

/* MUTATE, under the lock: make it so many bytes long where it is, if that is more. False: no room
 * there. */
bool cn_large_objects_lengthen(uintptr_t block, size_t bytes);

/* STOP. The payload of the object whose block begins there, copied or not. */
uintptr_t cn_large_objects_object(uintptr_t block);

/* STOP. May it hold references? Not if its type is gone. */
bool cn_large_objects_has_references(uintptr_t block);

/* STOP. Was it so when the collection began? Any number of threads at once. */
bool cn_large_objects_is_young(uintptr_t block);

/* STOP. Before a full collection: all are young. After any: those that are not marked go, and no
 * young ones are left. After one that moved all: the same, and no others are made. */
void cn_large_objects_unmark(void);
void cn_large_objects_end(bool full);
void cn_large_objects_leave(void);

/* STOP. When all is marked that is reachable (marker.h), and none are young: the others go. Or it
 * is given up: all that are old are not reached. */
void cn_large_objects_turn(void);
void cn_large_objects_unreach(void);

#endif
