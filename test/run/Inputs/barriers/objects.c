/* SPDX-License-Identifier: Apache-2.0
 *
 * young.c with barriers that log objects: a bit in the header of each old one says that it is not
 * logged. Where the program does not know the object it logs the slot.
 */
#include "young.h"
#include "space.h"

static unsigned char *noted; /* a byte for each word of the heap: the slot was logged */
static uintptr_t heap;
static uintptr_t *objects, *slots; /* that were logged since the last collection */
static size_t object_count, object_room, slot_count, slot_room;

void remember_init(uintptr_t base)
{
  heap = base;
  noted = table(HEAP / 8);
}

static void log_object(struct cairn_mutator *mutator, uintptr_t object)
{
  cairn_log(mutator, object);
}

static bool log_slot(struct cairn_mutator *mutator, struct cairn_slot slot)
{
  if ((uintptr_t)slot.address - heap < HEAP)
    cairn_log(mutator, (uintptr_t)slot.address | 1);
  return true;
}

/* Any words, of which some are references. */
static void log_range(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  for (uintptr_t at = start & ~(uintptr_t)7; at < end; at += 8)
    log_slot(mutator, (struct cairn_slot){(uintptr_t *)at});
}

static void push(uintptr_t **list, size_t *count, size_t *room, uintptr_t word)
{
  if (*count == *room) {
    *room = *room * 2 + 1024;
    *list = realloc(*list, *room * sizeof **list);
  }
  (*list)[(*count)++] = word;
}

static void add(void *env, uintptr_t word)
{
  (void)env;
  if (word % 2 == 0) {
    push(&objects, &object_count, &object_room, word);
    return;
  }
  noted[(word - heap) / 8] = 1;
  push(&slots, &slot_count, &slot_room, word);
}

void remember_logged(void)
{
  cairn_logs_take(add, NULL);
}

bool is_remembered(uintptr_t object, struct cairn_slot slot)
{
  return (*cairn_object_header(object) & CAIRN_ABI_HEADER_UNLOGGED) == 0 ||
         noted[((uintptr_t)slot.address - heap) / 8] != 0;
}

/* An object that went elsewhere in a full collection has the bit anew. */
void forget_remembered(void)
{
  while (slot_count > 0)
    noted[(slots[--slot_count] - heap) / 8] = 0;
  while (object_count > 0) {
    uintptr_t object = objects[--object_count];
    if (is_old(object))
      *cairn_object_header(object) |= CAIRN_ABI_HEADER_UNLOGGED;
  }
}

void became_young(uintptr_t start, uintptr_t end)
{
  (void)start;
  (void)end;
}

void became_old(uintptr_t object, uintptr_t end)
{
  (void)end;
  *cairn_object_header(object) |= CAIRN_ABI_HEADER_UNLOGGED;
}

__attribute__((constructor(102))) static void use_objects(void)
{
  young_collector.name = "objects";
  young_collector.barriers = CAIRN_ABI_BARRIERS_OBJECTS;
  young_collector.log_slot = log_slot;
  young_collector.log_object = log_object;
  young_collector.barrier_range = log_range;
  cairn_set_collector(&young_collector);
}
