/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects of two generations, over collectors/large_space.h: at the end of a collection, marked objects become
 * old and unmarked objects are freed. Owns the list of young large objects (`young_large_list`), so that young
 * collections skip old ones, and sums of bytes (`cn_large_objects`); states are in space/tables.h, marks and blocks in
 * the large-object space. Phase STOP, the collecting thread; any number of tracers call the queries, too. Allocation
 * and lengthening run in phase MUTATE, under the nursery's lock. Mutators that check a copy call
 * cn_large_objects_payload_of() in phase MUTATE without the lock.
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

/* Bytes of old large objects per freed object at which a sweep pays: a sweep visits each object. */
enum { FREED_BYTES_PER_SWEEP = 256 << 10 };

struct cn_large_objects cn_large_objects;

static struct {
  uintptr_t *at;
  size_t count, room;
  size_t loose; /* objects that may have been freed since the last sweep joined free runs */
} young_large_list;

static bool grow_young_list(void)
{
  size_t room =
      young_large_list.room != 0 ? 2 * young_large_list.room : cn_os_page_bytes() / sizeof *young_large_list.at;
  uintptr_t *at = cn_os_resize_mapping(young_large_list.at, young_large_list.room * sizeof *at, room * sizeof *at);

  if (at == NULL)
    return false;
  young_large_list.at = at;
  young_large_list.room = room;
  return true;
}

static size_t block_page_bytes(uintptr_t block)
{
  uintptr_t end;

  CN_CHECK(cn_large_find_block(block, &end) == block);
  return end - block;
}

/* Cleans cards that a former object may have left dirty; memory from `zero` on was never written. */
static void clean_former_cards(uintptr_t block, uintptr_t zero)
{
  uintptr_t end = block + block_page_bytes(block);

  cn_cards_clean_range(block, zero < end ? zero : end);
}

uintptr_t cn_large_objects_allocate(size_t bytes, uintptr_t *zero)
{
  if (young_large_list.count == young_large_list.room && !grow_young_list())
    return 0;
  CN_CHECK(bytes > CAIRN_ABI_INLINE_ALLOC_MAX); /* compiled stores into such an object always mark cards */
  uintptr_t block = cn_large_allocate(bytes, zero);
  CN_CHECK(young_large_list.count < young_large_list.room);
  if (block != 0 && !cn_tables_commit_for_range(block, block + bytes)) {
    cn_large_free_block(block);
    block = 0;
  }
  if (block != 0) {
    CN_ASSERT(!cn_large_is_marked(block) && cn_large_objects_is_young(block));
    clean_former_cards(block, *zero);
    young_large_list.at[young_large_list.count++] = block;
    cn_large_objects.young += block_page_bytes(block);
  }
  return block;
}

bool cn_large_objects_lengthen(uintptr_t block, size_t bytes)
{
  size_t had = block_page_bytes(block);

  if (bytes > cn_tables.old - block || !cn_tables_commit_for_range(block, block + bytes) ||
      !cn_large_lengthen(block, bytes))
    return false;
  if (cn_large_is_marked(block))
    cn_large_objects.old += block_page_bytes(block) - had;
  else
    cn_large_objects.young += block_page_bytes(block) - had;
  return true;
}

uintptr_t cn_large_objects_payload_of(uintptr_t block)
{
  uintptr_t first = __atomic_load_n((const uintptr_t *)block, __ATOMIC_ACQUIRE);

  CN_ASSERT(cn_large_contains(block));
  if (cn_tables_is_forwarding_word(first) || (first & 1) == 0)
    return block + CAIRN_ABI_HEADER_SIZE;
  return block + CAIRN_ABI_INDEXED_HEADER_SIZE;
}

bool cn_large_objects_has_references(uintptr_t block)
{
  uintptr_t header = *cairn_object_header(cn_large_objects_payload_of(block));

  return !cairn_header_is_gone(header) && cairn_layout_has_references(cairn_header_layout(header));
}

bool cn_large_objects_is_young(uintptr_t block)
{
  return __atomic_load_n(&cn_tables.large_states[(block - cn_tables.base) / CN_MIN_PAGE_BYTES], __ATOMIC_RELAXED) ==
         CN_LARGE_YOUNG;
}

void cn_large_objects_reach_young(void)
{
  CN_CHECK(!cn_marker.on);
  for (size_t i = 0; i < young_large_list.count; i++)
    cn_large_mark(young_large_list.at[i]);
}

void cn_large_objects_make_all_young(void)
{
  cn_large_clear_marks();
}

static void set_states_by_marks(void)
{
  cn_large_objects.bare = 0;
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    bool reached = cn_large_is_marked(block);
    *cn_tables_large_state_of(cn_large_objects_payload_of(block)) = reached ? CN_LARGE_OLD : CN_LARGE_YOUNG;
    if (reached && !cn_large_objects_has_references(block))
      cn_large_objects.bare += block_page_bytes(block);
  }
}

/* Makes marked young large objects old; a running marker must scan them. */
static void promote_marked_young(void)
{
  for (size_t i = 0; i < young_large_list.count; i++)
    if (cn_large_is_marked(young_large_list.at[i])) {
      uintptr_t object = cn_large_objects_payload_of(young_large_list.at[i]);
      *cn_tables_large_state_of(object) = CN_LARGE_OLD;
      if (cn_marker.on)
        cn_marker_mark_large(object);
    }
}

static void free_unmarked_young(void)
{
  for (size_t i = 0; i < young_large_list.count; i++)
    if (cn_large_is_marked(young_large_list.at[i]))
      cn_large_objects.old += block_page_bytes(young_large_list.at[i]);
    else
      cn_large_free_block(young_large_list.at[i]);
}

void cn_large_objects_end_collection(bool full)
{
  if (full)
    set_states_by_marks();
  else
    promote_marked_young();
  young_large_list.loose += young_large_list.count;
  if (full || young_large_list.loose > cn_large_objects.old / FREED_BYTES_PER_SWEEP) {
    cn_large_objects.old = cn_large_sweep(true);
    young_large_list.loose = 0;
  } else {
    free_unmarked_young();
  }
  CN_ASSERT(young_large_list.loose == 0 || !full);
  cn_large_objects.young = 0;
  young_large_list.count = 0;
}

void cn_large_objects_end_move(void)
{
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;)
    *cn_tables_large_state_of(cn_large_objects_payload_of(block)) = CN_LARGE_YOUNG;
  if (cn_large_objects.young + cn_large_objects.old != 0)
    cn_large_objects = (struct cn_large_objects){.old = cn_large_abandon_unmarked()};
  young_large_list.count = 0;
}

void cn_large_objects_free_unreached(void)
{
  CN_CHECK(young_large_list.count == 0 && cn_large_objects.young == 0);
  cn_large_clear_marks();
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;)
    if (*cn_tables_large_state_of(cn_large_objects_payload_of(block)) == CN_LARGE_REACHED)
      cn_large_mark(block);
  cn_large_objects_end_collection(true);
}

void cn_large_objects_reset_reached(void)
{
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;) {
    uint8_t *state = cn_tables_large_state_of(cn_large_objects_payload_of(block));
    if (*state == CN_LARGE_REACHED)
      *state = CN_LARGE_OLD;
  }
}
