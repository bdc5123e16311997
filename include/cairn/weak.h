/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak references, ephemerons and finalisers in managed C (docs/weak.md). Included after
 * <cairn/cairn.h>, which has the words for types:
 *
 *   struct entry { struct node managed *node cairn_weak; };      does not keep the node alive
 *   struct cairn_ephemeron pair { struct node managed *key cairn_weak, *value; };   the value lives
 *                                                                 as long as the key does
 *   struct cairn_finalisable file { int descriptor; };           the program closes it:
 *
 *   struct file managed *file;
 *   while ((file = cairn_finalise_next(0)))
 *     close(file->descriptor);
 *
 * A weak field becomes null in the collection that finds what it leads to unreachable by other
 * ways. An ephemeron's references, in an array those of the element, all become null then.
 *
 * These functions are leaves: they collect nothing. They are for managed code, on any thread. With
 * -DCAIRN_PLAIN no object goes, so nothing is ever cleared or finalised.
 */
#ifndef CAIRN_WEAK_H
#define CAIRN_WEAK_H

#include <cairn/cairn.h>

/* Queues are numbered 0 to CAIRN_QUEUES - 1. Objects of finalisable types are registered for queue
 * 0 when they are allocated. Another number ends the program with a line. */
#define CAIRN_QUEUES 64

#ifndef CAIRN_PLAIN

/* Register an object, of any type: once nothing refers to it but weak fields and other objects that
 * nothing refers to, a collection queues it, once. It is whole then, with all that it leads to;
 * weak fields of others that led to it are null. An object that leads to another is queued before
 * it, unless that leads back to it. What is no object (null, an address within one) ends the
 * program. */
cairn_leaf void cairn_finalise(void cairn_managed *object, unsigned queue);

/* The next object of the queue, which has it no longer; null: it is empty. The program does with it
 * what it likes, and may register it again. */
cairn_leaf void cairn_managed *cairn_finalise_next(unsigned queue);

/* A number that stays the object's wherever it is moved; others may have the same. An object that
 * was asked and is moved becomes 8 bytes larger. One that cairn_resize_array() returns is another.
 * What is no object ends the program. */
cairn_leaf unsigned long cairn_identity_hash(void cairn_managed *object);

#else

static inline void cairn_finalise(void *object, unsigned queue)
{
  (void)object;
  (void)queue;
}

static inline void *cairn_finalise_next(unsigned queue)
{
  (void)queue;
  return NULL;
}

static inline unsigned long cairn_identity_hash(void *object)
{
  unsigned long hash = (unsigned long)object * 0x9e3779b97f4a7c15ul;

  return hash ^ hash >> 32;
}

#endif

#endif
