/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the length of arrays, in place or by a copy. The padding after the last element may contain any bytes; growth
 * of the array clears it. Runs on the mutator's own thread, in a slow path, in phase MUTATE. The file has no state, and
 * takes no lock itself; the collector may lock to lengthen a large array.
 */
#include "runtime/heap/managed_heap.h"

#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/heap/barrier_slow_paths.h"
#include "runtime/heap/buffer.h"

static bool are_layouts_alike(const struct cairn_layout *a, const struct cairn_layout *b)
{
  return a == b || (a->base_refs == b->base_refs && a->base_size == b->base_size && a->elem_size == b->elem_size &&
                    a->elem_offset == b->elem_offset && a->elem_refs == b->elem_refs &&
                    memcmp(a->offsets, b->offsets, ((size_t)a->base_refs + a->elem_refs) * sizeof *a->offsets) == 0);
}

bool cn_resize_has_array_at(uintptr_t array, const struct cairn_layout *layout)
{
  if (array == 0 || array % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  const struct cairn_layout *own = cairn_object_layout(array);
  return cairn_layout_is_known(own) && own->elem_size != 0 && are_layouts_alike(own, layout);
}

static uintptr_t payload_end_of(uintptr_t array, const struct cairn_layout *layout, uint64_t count)
{
  uint64_t bytes;

  CN_CHECK(cairn_layout_payload(layout, count, &bytes) == CAIRN_OK);
  return array + bytes;
}

/* The address of element `count`; if `count` is the array's length, the end of its elements. */
static uintptr_t element_address_of(uintptr_t array, const struct cairn_layout *layout, uint64_t count)
{
  return array + layout->elem_offset + count * layout->elem_size;
}

static void clear_bytes(uintptr_t from, uintptr_t to)
{
  if (from < to)
    memset((void *)from, 0, to - from);
}

/* Reports the removed elements in [from, to) to the collector if its barriers report overwritten references. */
static void note_dropped_references(struct cairn_mutator *mutator, const struct cairn_layout *layout, uintptr_t from,
                                    uintptr_t to)
{
  CN_ASSERT(from <= to);
  if (cairn_layout_has_references(layout) && cn_heap_collector()->barriers == CAIRN_ABI_BARRIERS_SNAPSHOT &&
      mutator->barrier != 0)
    cn_barrier_range_slow_path(from, to - from);
}

bool cn_resize_array_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize_flags how)
{
  if (cairn_header_is_static(*cairn_object_header(array)))
    return false;
  const struct cairn_layout *layout = cairn_object_layout(array);
  uint64_t had = cairn_object_count(array);
  uintptr_t block = cairn_object_block(array, layout), end = payload_end_of(array, layout, had),
            wanted = payload_end_of(array, layout, count);
  size_t hash = cairn_header_hash_bytes(*cairn_object_header(array));

  if (wanted > end && (hash != 0 || (how & CN_RESIZE_FORBID_GROWTH) != 0 ||
                       (!cn_buffer_extend_last_block(mutator, block, end, wanted - end) &&
                        !cn_heap_lengthen_block(block, end - block, wanted - block))))
    return false;
  if (count < had)
    note_dropped_references(mutator, layout, element_address_of(array, layout, count),
                            element_address_of(array, layout, had));
  if (wanted < end) {
    memmove((void *)wanted, (const void *)end, hash);
    cairn_fill(wanted + hash, end + hash);
  }
  if (count > had && (how & CN_RESIZE_LEAVE_UNCLEARED) == 0)
    clear_bytes(element_address_of(array, layout, had), wanted);
  /* The new elements are clear before a concurrent marker finds the new length. */
  __atomic_store_n((uintptr_t *)array - 2, count << 1 | 1, __ATOMIC_RELEASE);
  return true;
}

/* Marks the cards of a new large array after its elements were copied, like compiled code. */
static void mark_cards_of_copy(uintptr_t array, const struct cairn_layout *layout, uint64_t bytes)
{
  uintptr_t block = cairn_object_block(array, layout), end = payload_end_of(array, layout, cairn_object_count(array));

  if (cn_heap_collector()->barriers == CAIRN_ABI_BARRIERS_CARDS && cairn_layout_has_references(layout) &&
      end - block > CAIRN_ABI_INLINE_ALLOC_MAX)
    cn_barrier_range_slow_path(array, bytes);
}

/* Copies the elements that both arrays have; returns the number of bytes. */
static uintptr_t copy_elements(uintptr_t fresh, uintptr_t array, const struct cairn_layout *layout, uint64_t count)
{
  uint64_t had = cairn_object_count(array);
  uintptr_t copied = element_address_of(array, layout, had < count ? had : count) - array;

  CN_ASSERT(are_layouts_alike(layout, cairn_object_layout(array)));
  if (cn_heap_collector()->barriers == CAIRN_ABI_BARRIERS_LOADS)
    cn_barrier_range_slow_path(array, copied);
  memcpy((void *)fresh, (const void *)array, copied);
  mark_cards_of_copy(fresh, layout, copied);
  return copied;
}

/* Finishes a change of length: compiled code calls this after cairn_resize_slow(), with the result of that call and
 * with the array, which may be null. Returns the array itself if it has the new length, else the new array with the
 * copied elements. An array with references is cleared already. There is no safepoint between the two calls. Phase
 * MUTATE. */
#pragma GCC visibility push(default)
uintptr_t cairn_resize_finish(uintptr_t fresh, uintptr_t array, bool uninit);
#pragma GCC visibility pop

uintptr_t cairn_resize_finish(uintptr_t fresh, uintptr_t array, bool uninit)
{
  if (fresh == 0)
    return array;
  fresh -= cairn_words.reference;
  const struct cairn_layout *layout = cairn_object_layout(fresh);
  uint64_t count = cairn_object_count(fresh);
  uintptr_t copied = array == 0 ? 0 : copy_elements(fresh, array - cairn_words.reference, layout, count);
  CN_ASSERT(copied <= payload_end_of(fresh, layout, count) - fresh);
  if (!uninit && !cairn_layout_has_references(layout))
    clear_bytes(fresh + copied, payload_end_of(fresh, layout, count));
  cn_heap_order_new_object();
  return fresh + cairn_words.reference;
}
