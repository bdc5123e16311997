/* SPDX-License-Identifier: Apache-2.0
 *
 * Large objects of two generations, over collectors/large_space.h: at the end of a collection, marked objects become
 * old and unmarked objects are freed. Owns the list of the objects that young collections visit (`large_list`), which
 * leaves out old objects without references, and sums of bytes (`cn_large_objects`); states are in space/tables.h,
 * marks and blocks in the large-object space. Phase STOP, the collecting thread; any number of tracers call the
 * queries, too. Allocation and lengthening run in phase MUTATE, under the nursery's lock. Mutators that check a copy
 * call cn_large_objects_payload_of() in phase MUTATE without the lock.
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

/* Blocks of old objects with references, then those of young objects. An old object without references stays without:
 * its block is reused only for such objects (free_object.c). */
static struct {
  uintptr_t *at;
  size_t old, count, room; /* number of old objects, of all, and of entries */
  size_t loose;            /* objects that may have been freed since the last sweep joined free runs */
} large_list;

static bool grow_list(void)
{
  size_t room = large_list.room != 0 ? 2 * large_list.room : cn_os_page_bytes() / sizeof *large_list.at;
  uintptr_t *at = cn_os_resize_mapping(large_list.at, large_list.room * sizeof *at, room * sizeof *at);

  if (at == NULL)
    return false;
  large_list.at = at;
  large_list.room = room;
  return true;
}

uintptr_t cn_large_objects_old_with_references(size_t i)
{
  return i < large_list.old ? large_list.at[i] : 0;
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
  if (large_list.count == large_list.room && !grow_list())
    return 0;
  CN_CHECK(bytes > CAIRN_ABI_INLINE_ALLOC_MAX); /* compiled stores into such an object always mark cards */
  uintptr_t block = cn_large_allocate(bytes, zero);
  CN_CHECK(large_list.count < large_list.room);
  if (block != 0 && !cn_tables_commit_for_range(block, block + bytes)) {
    cn_large_free_block(block);
    block = 0;
  }
  if (block != 0) {
    CN_ASSERT(!cn_large_is_marked(block) && cn_large_objects_is_young(block));
    clean_former_cards(block, *zero);
    large_list.at[large_list.count++] = block;
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
  for (size_t i = large_list.old; i < large_list.count; i++)
    cn_large_mark(large_list.at[i]);
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
  for (size_t i = large_list.old; i < large_list.count; i++)
    if (cn_large_is_marked(large_list.at[i])) {
      uintptr_t object = cn_large_objects_payload_of(large_list.at[i]);
      *cn_tables_large_state_of(object) = CN_LARGE_OLD;
      if (cn_marker.on)
        cn_marker_mark_large(object);
    }
}

/* Keeps marked objects with references, which are old from now on. Before unmarked objects are freed. */
static void list_old_objects(size_t from)
{
  CN_ASSERT(from <= large_list.old);
  large_list.old = from;
  for (size_t i = from; i < large_list.count; i++)
    if (cn_large_is_marked(large_list.at[i]) && cn_large_objects_has_references(large_list.at[i]))
      large_list.at[large_list.old++] = large_list.at[i];
}

static void list_or_free_young(void)
{
  size_t old = large_list.old;

  for (size_t i = old; i < large_list.count; i++) {
    uintptr_t block = large_list.at[i];
    if (!cn_large_is_marked(block)) {
      cn_large_free_block(block);
      continue;
    }
    cn_large_objects.old += block_page_bytes(block);
    if (cn_large_objects_has_references(block))
      large_list.at[old++] = block;
  }
  large_list.old = old;
}

void cn_large_objects_end_collection(bool full)
{
  if (full)
    set_states_by_marks();
  else
    promote_marked_young();
  large_list.loose += large_list.count - large_list.old;
  if (full || large_list.loose > cn_large_objects.old / FREED_BYTES_PER_SWEEP) {
    list_old_objects(full ? 0 : large_list.old);
    cn_large_objects.old = cn_large_sweep(true);
    large_list.loose = 0;
  } else {
    list_or_free_young();
  }
  CN_ASSERT(large_list.loose == 0 || !full);
  cn_large_objects.young = 0;
  large_list.count = large_list.old;
}

void cn_large_objects_end_move(void)
{
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;)
    *cn_tables_large_state_of(cn_large_objects_payload_of(block)) = CN_LARGE_YOUNG;
  list_old_objects(0);
  if (cn_large_objects.young + cn_large_objects.old != 0)
    cn_large_objects = (struct cn_large_objects){.old = cn_large_abandon_unmarked()};
  large_list.count = large_list.old;
}

void cn_large_objects_free_unreached(void)
{
  CN_CHECK(large_list.count == large_list.old && cn_large_objects.young == 0);
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
