/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak references, ephemerons and finalisers in managed C (docs/weak.md). <cairn/cairn.h> has the annotations of types:
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
 * A weak field becomes null in the collection that finds its target unreachable by other references. In an ephemeron
 * all references then become null, or, in an array, all references of the element.
 *
 * These functions are leaves, which never collect, for managed code on any thread. With -DCAIRN_PLAIN objects and weak
 * references stay, and finalisers never run.
 */
#ifndef CAIRN_WEAK_H
#define CAIRN_WEAK_H

#include <cairn/cairn.h>

/* Queues have the numbers 0 to CAIRN_QUEUES - 1; any other number ends the program with a message. Allocation
 * registers objects of finalisable types for queue 0. */
#define CAIRN_QUEUES 64

#ifndef CAIRN_PLAIN

/* Registers an object of any type for the queue. A collection that finds the object unreachable, apart from weak
 * fields, puts the object into the queue, once. A queued object is intact, with everything reachable from it; weak
 * fields that referred to it have become null. An object precedes the objects that it refers to, except in cycles. An
 * argument that is not an object, such as null or an interior address, ends the program. */
cairn_leaf void cairn_finalise(void cairn_managed *object, unsigned queue);

/* Takes the next object from the queue, or returns null if the queue is empty. The program may use the object freely
 * and register it again. */
cairn_leaf void cairn_managed *cairn_finalise_next(unsigned queue);

/* Returns a number that the object keeps when it moves; several objects may share a number. A hashed object grows by 8
 * bytes when it is moved. The result of cairn_resize_array() counts as a new object. An argument that is not an object
 * ends the program. */
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

/* ---- a weak hash table, from objects to objects by identity. A collection removes an entry when only the table and
 * values of removed entries refer to its key. The functions are managed code; threads that share a table must take
 * turns ---- */

struct cairn_weak_entry {
  void cairn_managed *key cairn_weak, *value;
  unsigned long hash; /* 0 if the entry was never used */
};
struct cairn_ephemeron cairn_weak_entries {
  long room; /* a power of two */
  struct cairn_weak_entry at[];
};
struct cairn_weak_table {
  struct cairn_weak_entries cairn_managed *entries;
  long used; /* number of entries that were ever used */
};

static inline struct cairn_weak_entries cairn_managed *cairn_weak_entries_new(long room)
{
  struct cairn_weak_entries cairn_managed *entries = cairn_new_flex(struct cairn_weak_entries, room, at);

  entries->room = room;
  return entries;
}

/* Makes an empty table. */
static inline struct cairn_weak_table cairn_managed *cairn_weak_table_new(void)
{
  struct cairn_weak_table cairn_managed *table = cairn_new(struct cairn_weak_table);

  table->entries = cairn_weak_entries_new(8);
  return table;
}

/* Returns the index of the key's entry, or of the free entry for this key. */
static inline long cairn_weak_entry_of(struct cairn_weak_entries cairn_managed *entries, void cairn_managed *key,
                                       unsigned long hash)
{
  unsigned long i = hash >> 1;

  for (;; i++) {
    long at = (long)(i & (unsigned long)(entries->room - 1));
    if (entries->at[at].hash == 0 || (entries->at[at].hash == hash && entries->at[at].key == key))
      return at;
  }
}

/* Returns the value of `key`, or null if the table lacks the key. `key` must be an object. */
static inline void cairn_managed *cairn_weak_table_get(struct cairn_weak_table cairn_managed *table,
                                                       void cairn_managed *key)
{
  return table->entries->at[cairn_weak_entry_of(table->entries, key, cairn_identity_hash(key) | 1)].value;
}

/* Returns the number of entries, in linear time. Collections may remove entries at any time. */
static inline long cairn_weak_table_count(struct cairn_weak_table cairn_managed *table)
{
  struct cairn_weak_entries cairn_managed *entries = table->entries;
  long count = 0;

  for (long i = 0; i < entries->room; i++)
    count += entries->at[i].key != NULL;
  return count;
}

/* Drops the dead entries and resizes the table. At most a quarter of the new table is in use. */
static inline void cairn_weak_table_renew(struct cairn_weak_table cairn_managed *table)
{
  struct cairn_weak_entries cairn_managed *old = table->entries;
  long room = 8, count = cairn_weak_table_count(table);

  while (room < 4 * count)
    room *= 2;
  struct cairn_weak_entries cairn_managed *entries = cairn_weak_entries_new(room);
  table->used = 0;
  for (long i = 0; i < old->room; i++) {
    void cairn_managed *key = old->at[i].key;
    if (key == NULL)
      continue;
    long at = cairn_weak_entry_of(entries, key, old->at[i].hash);
    entries->at[at].hash = old->at[i].hash;
    entries->at[at].key = key;
    entries->at[at].value = old->at[i].value;
    table->used++;
  }
  table->entries = entries;
}

/* Sets the value of `key`, which must be an object. */
static inline void cairn_weak_table_put(struct cairn_weak_table cairn_managed *table, void cairn_managed *key,
                                        void cairn_managed *value)
{
  unsigned long hash = cairn_identity_hash(key) | 1;

  if (4 * (table->used + 1) > 3 * table->entries->room)
    cairn_weak_table_renew(table);
  long at = cairn_weak_entry_of(table->entries, key, hash);
  if (table->entries->at[at].hash == 0)
    table->used++;
  table->entries->at[at].hash = hash;
  table->entries->at[at].key = key;
  table->entries->at[at].value = value;
}

/* Removes the key's entry, if the table has one. */
static inline void cairn_weak_table_remove(struct cairn_weak_table cairn_managed *table, void cairn_managed *key)
{
  struct cairn_weak_entries cairn_managed *entries = table->entries;
  long at = cairn_weak_entry_of(entries, key, cairn_identity_hash(key) | 1);

  entries->at[at].key = NULL;
  entries->at[at].value = NULL;
}

#endif
