/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the states and the sizes of large objects, and a list of the young ones, so that the time of a young collection
 * depends on these alone. Phase STOP, the collecting thread; allocation in phase MUTATE, under the nursery's lock.
 */
#include "collectors/generational/large_objects.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/tables.h"
#include "collectors/large_space.h"
#include "runtime/os/os.h"

/* A sweep visits each object; by their usual size it pays if one of a few is garbage. */
enum { PER_SWEEP = 256 << 10 };

struct cn_large_objects cn_large_objects;

static struct {
  uintptr_t *at;
  size_t count, room;
  size_t loose; /* objects that may have become free runs since the last sweep joined those */
} list;

static bool make_room(void)
{
  size_t room = list.room != 0 ? 2 * list.room : cn_os_page() / sizeof *list.at;
  uintptr_t *at = cn_os_resize(list.at, list.room * sizeof *at, room * sizeof *at);

  if (at == NULL)
    return false;
  list.at = at;
  list.room = room;
  return true;
}

static size_t pages_of(uintptr_t block)
{
  uintptr_t end;

  CN_CHECK(cn_large_find(block, &end) == block);
  return end - block;
}

/* The former object may have left dirty cards before `zero`; memory from `zero` on was never written. */
static void clean_cards(uintptr_t block, uintptr_t zero)
{
  uintptr_t end = block + pages_of(block);

  cn_cards_clean(block, zero < end ? zero : end);
}

uintptr_t cn_large_objects_allocate(size_t bytes, uintptr_t *zero)
{
  if (list.count == list.room && !make_room())
    return 0;
  CN_CHECK(bytes > CAIRN_ABI_INLINE_ALLOC_MAX); /* stores into it always mark cards */
  uintptr_t block = cn_large_allocate(bytes, zero);
  CN_CHECK(list.count < list.room);
  if (block != 0 && !cn_tables_reach(block, block + bytes)) {
    cn_large_free(block);
    block = 0;
  }
  if (block != 0) {
    CN_ASSERT(!cn_large_is_marked(block) && cn_large_objects_is_young(block));
    clean_cards(block, *zero);
    list.at[list.count++] = block;
    cn_large_objects.young += pages_of(block);
  }
  return block;
}

bool cn_large_objects_lengthen(uintptr_t block, size_t bytes)
{
  size_t had = pages_of(block);

  if (bytes > cn_tables.old - block || !cn_tables_reach(block, block + bytes) || !cn_large_lengthen(block, bytes))
    return false;
  if (cn_large_is_marked(block))
    cn_large_objects.old += pages_of(block) - had;
  else
    cn_large_objects.young += pages_of(block) - had;
  return true;
}

uintptr_t cn_large_objects_object(uintptr_t block)
{
  uintptr_t first = __atomic_load_n((const uintptr_t *)block, __ATOMIC_ACQUIRE);

  CN_ASSERT(cn_large_contains(block));
  if (cn_tables_is_forward(first) || (first & 1) == 0)
    return block + CAIRN_ABI_HEADER_SIZE;
  return block + CAIRN_ABI_INDEXED_HEADER_SIZE;
}

bool cn_large_objects_has_references(uintptr_t block)
{
  uintptr_t header = *cairn_object_header(cn_large_objects_object(block));

  return !cairn_header_is_gone(header) && cairn_layout_has_references(cairn_header_layout(header));
}

bool cn_large_objects_is_young(uintptr_t block)
{
  return cn_tables.large_states[(block - cn_tables.base) / CN_PAGE] == CN_LARGE_YOUNG;
}

void cn_large_objects_unmark(void)
{
  cn_large_unmark();
}

/* Set the states by this collection's marks. */
static void set_states(void)
{
  cn_large_objects.bare = 0;
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    bool reached = cn_large_is_marked(block);
    *cn_tables_large(cn_large_objects_object(block)) = reached ? CN_LARGE_OLD : CN_LARGE_YOUNG;
    if (reached && !cn_large_objects_has_references(block))
      cn_large_objects.bare += pages_of(block);
  }
}

/* Marked young ones become old; a running marker is to scan them. */
static void make_old(void)
{
  for (size_t i = 0; i < list.count; i++)
    if (cn_large_is_marked(list.at[i])) {
      uintptr_t object = cn_large_objects_object(list.at[i]);
      *cn_tables_large(object) = CN_LARGE_OLD;
      if (cn_marker.on)
        cn_marker_large(object);
    }
}

/* Free the unmarked young ones, one by one. */
static void free_some(void)
{
  for (size_t i = 0; i < list.count; i++)
    if (cn_large_is_marked(list.at[i]))
      cn_large_objects.old += pages_of(list.at[i]);
    else
      cn_large_free(list.at[i]);
}

void cn_large_objects_end(bool full)
{
  if (full)
    set_states();
  else
    make_old();
  list.loose += list.count;
  if (full || list.loose > cn_large_objects.old / PER_SWEEP) {
    cn_large_objects.old = cn_large_sweep(true);
    list.loose = 0;
  } else {
    free_some();
  }
  CN_ASSERT(list.loose == 0 || !full);
  cn_large_objects.young = 0;
  list.count = 0;
}

void cn_large_objects_leave(void)
{
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;)
    *cn_tables_large(cn_large_objects_object(block)) = CN_LARGE_YOUNG;
  if (cn_large_objects.young + cn_large_objects.old != 0)
    cn_large_objects = (struct cn_large_objects){.old = cn_large_leave()};
  list.count = 0;
}

void cn_large_objects_turn(void)
{
  CN_CHECK(list.count == 0 && cn_large_objects.young == 0);
  cn_large_unmark();
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;)
    if (*cn_tables_large(cn_large_objects_object(block)) == CN_LARGE_REACHED)
      cn_large_mark(block);
  cn_large_objects_end(true);
}

void cn_large_objects_unreach(void)
{
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;) {
    uint8_t *state = cn_tables_large(cn_large_objects_object(block));
    if (*state == CN_LARGE_REACHED)
      *state = CN_LARGE_OLD;
  }
}
