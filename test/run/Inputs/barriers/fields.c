/* SPDX-License-Identifier: Apache-2.0
 *
 * young.c with barriers that log fields: a byte for each word of the heap, 0 where the field is old
 * and not logged.
 */
#include "young.h"
#include "space.h"

static unsigned char *logged;
static const uintptr_t mask = (HEAP >> CAIRN_ABI_FIELD_SHIFT) - 1;
static uintptr_t heap;
static uintptr_t *slots; /* that were logged since the last collection */
static size_t count, room;

static unsigned char *byte_of(uintptr_t slot)
{
  return &logged[slot >> CAIRN_ABI_FIELD_SHIFT & mask];
}

void remember_init(uintptr_t base)
{
  heap = base;
  logged = table(mask + 1);
  cairn_barrier_cards(logged, mask);
}

/* Slots of locals and globals come, too. Those of the nursery do not: their bytes are 1. */
static bool log_slot(struct cairn_mutator *mutator, struct cairn_slot slot)
{
  if ((uintptr_t)slot.address - heap >= HEAP)
    return false;
  cairn_log(mutator, (uintptr_t)slot.address);
  return true;
}

/* Any words, of which some are references. */
static void log_range(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  for (uintptr_t at = start & ~(uintptr_t)7; at < end; at += 8)
    if (at - heap < HEAP && *byte_of(at) == 0) {
      cairn_log(mutator, at);
      __atomic_store_n(byte_of(at), 1, __ATOMIC_RELAXED);
    }
}

static void add(void *env, uintptr_t slot)
{
  (void)env;
  if (count == room) {
    room = room * 2 + 1024;
    slots = realloc(slots, room * sizeof *slots);
  }
  slots[count++] = slot;
  if (*byte_of(slot) != 1)
    cairn_fatal("fields: the slot %p was logged, and its byte is 0", (void *)slot);
}

void remember_logged(void)
{
  cairn_logs_take(add, NULL);
}

bool is_remembered(uintptr_t object, struct cairn_slot slot)
{
  (void)object;
  return *byte_of((uintptr_t)slot.address) != 0;
}

void forget_remembered(void)
{
  while (count > 0)
    *byte_of(slots[--count]) = 0;
}

void became_young(uintptr_t start, uintptr_t end)
{
  for (uintptr_t at = start; at < end; at += 8)
    *byte_of(at) = 1;
}

void became_old(uintptr_t object, uintptr_t end)
{
  (void)object;
  (void)end;
}

__attribute__((constructor(102))) static void use_fields(void)
{
  young_collector.name = "fields";
  young_collector.barriers = CAIRN_ABI_BARRIERS_FIELDS;
  young_collector.log_slot = log_slot;
  young_collector.barrier_range = log_range;
  cairn_set_collector(&young_collector);
}
