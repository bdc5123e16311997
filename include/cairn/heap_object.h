/* SPDX-License-Identifier: Apache-2.0
 *
 * An object of the heap as collectors see it: its header (the word before its payload), its block and fields, and the
 * words that point to it. abi.def describes the header's bits; collectors read and forward headers only by these
 * functions. Compiled code writes only the address of the layout, and never reads a header.
 *
 * Functions that visit fields take linear time, all other functions O(1). They neither lock nor allocate. Any thread;
 * in phase MUTATE only atomic operations may change the header of an object that other threads may see.
 */
#ifndef CAIRN_HEAP_OBJECT_H
#define CAIRN_HEAP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/collector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The address that the slot's word refers to: the address of an object's payload, an address within an object (in a
 * root), or an address outside the heap. The result is 0 if the word is null or an immediate, which must stay
 * unchanged. */
static inline uintptr_t cairn_slot_object(struct cairn_slot slot)
{
  uintptr_t object = *slot.address - cairn_words.reference;

  return (object & cairn_words.mask) == 0 ? object : 0;
}

/* Lets the slot refer to `object`. The slot's cairn_slot_object() must differ from 0. */
static inline void cairn_slot_set(struct cairn_slot slot, uintptr_t object)
{
  *slot.address = object + cairn_words.reference;
}

/* The header of the object whose payload begins at `object`. */
static inline uintptr_t *cairn_object_header(uintptr_t object)
{
  return (uintptr_t *)object - 1;
}

/* True if the object has been copied; the header is then the forwarding address. */
static inline bool cairn_header_is_forwarded(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_STATE) == CAIRN_ABI_HEADER_FORWARDED;
}

/* The new address of a forwarded object. The upper 16 bits of the header are the collector's. */
static inline uintptr_t cairn_header_forwarded_to(uintptr_t header)
{
  return header & (uintptr_t)CAIRN_ABI_HEADER_LAYOUT;
}

/* The header of an object that was copied to `object`. */
static inline uintptr_t cairn_header_to(uintptr_t object)
{
  return object | CAIRN_ABI_HEADER_FORWARDED;
}

/* True if the image of the object's layout has been unloaded (forget() of struct cairn_collector). */
static inline bool cairn_header_is_gone(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_STATE) == CAIRN_ABI_HEADER_GONE;
}

/* The bytes of payload of an object whose layout is gone. */
static inline uint64_t cairn_header_gone_bytes(uintptr_t header)
{
  return header & ~(uintptr_t)CAIRN_ABI_HEADER_STATE;
}

/* The header of an object whose layout is gone; `bytes` is a multiple of CAIRN_ABI_OBJECT_ALIGN. */
static inline uintptr_t cairn_header_gone(uint64_t bytes)
{
  return bytes | CAIRN_ABI_HEADER_GONE;
}

/* The layout in a header; null if the object is forwarded, if its layout is gone, or if unused bits are set. If
 * `header` is some other word, the result may be any address; cairn_layout_is_known() recognises layouts. */
static inline const struct cairn_layout *cairn_header_layout(uintptr_t header)
{
  if ((header & CAIRN_ABI_HEADER_STATE) != 0 || (header & CAIRN_ABI_HEADER_UNUSED) != 0)
    return NULL;
  return (const struct cairn_layout *)(header & CAIRN_ABI_HEADER_LAYOUT);
}

/* True if `header` is the header of a static object of the program (docs/managed-c.md). */
static inline bool cairn_header_is_static(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_STATIC) != 0 && cairn_layout_is_known(cairn_header_layout(header));
}

/* The layout of the object at `object`, like cairn_header_layout(). */
static inline const struct cairn_layout *cairn_object_layout(uintptr_t object)
{
  return cairn_header_layout(__atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED));
}

/* The start of the block of the object at `object`; `layout` is the object's layout. */
static inline uintptr_t cairn_object_block(uintptr_t object, const struct cairn_layout *layout)
{
  size_t header = CAIRN_ABI_HEADER_SIZE, indexed = CAIRN_ABI_INDEXED_HEADER_SIZE;

  return object - (layout->elem_size != 0 ? indexed : header);
}

/* The object whose block begins at `block`. The first word of a block is an odd count or a header. The object must not
 * be forwarded; the next block begins at the end of the payload (cairn_object_payload()). */
static inline uintptr_t cairn_block_object(uintptr_t block)
{
  size_t header = CAIRN_ABI_HEADER_SIZE, indexed = CAIRN_ABI_INDEXED_HEADER_SIZE;

  return block + ((*(const uintptr_t *)block & 1) != 0 ? indexed : header);
}

/* The number of elements of the object at `object`; its layout must be indexed. */
static inline uint64_t cairn_object_count(uintptr_t object)
{
  return ((const uintptr_t *)object)[-2] >> 1;
}

/* The bytes after the payload for the identity hash of an object with this header: 8 if the object was moved after its
 * hash was computed, otherwise 0. cairn_header_hash_bytes_before() takes the header of a copy, and returns the bytes
 * that the original had for its hash. */
static inline size_t cairn_header_hash_bytes(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_HASH_MOVED) != 0 ? sizeof(uintptr_t) : 0;
}
static inline size_t cairn_header_hash_bytes_before(uintptr_t header)
{
  return (header & CAIRN_ABI_HEADER_HASH) == CAIRN_ABI_HEADER_HASH ? sizeof(uintptr_t) : 0;
}

/* Stores the bytes of payload of the object at `object` into *bytes; `layout` is the object's layout. The bytes include
 * the identity hash: the next block begins after them. OVERFLOW: the object's count is damaged. */
static inline enum cairn_status cairn_object_payload(uintptr_t object, const struct cairn_layout *layout,
                                                     uint64_t *bytes)
{
  enum cairn_status status =
      cairn_layout_payload(layout, layout->elem_size != 0 ? cairn_object_count(object) : 0, bytes);

  if (status == CAIRN_OK)
    *bytes += cairn_header_hash_bytes(*cairn_object_header(object));
  return status;
}

/* The identity hash of an object that was at `object` when its hash was computed. */
static inline uintptr_t cairn_object_hash_at(uintptr_t object)
{
  uintptr_t hash = object * (uintptr_t)0x9e3779b97f4a7c15;

  return hash ^ hash >> 32;
}

/* Completes the copy from `was` to `now` of an object with the header `header`, after the caller has copied the header
 * and the `bytes` of the layout's payload. If the header has a bit of CAIRN_ABI_HEADER_HASH, the function stores the
 * identity hash in the word after the payload, and returns 8, the size of this word; otherwise it returns 0. Phase
 * STOP, before other threads see the copy. */
static inline size_t cairn_object_copy_hash(uintptr_t was, uintptr_t now, uintptr_t header, uint64_t bytes)
{
  uintptr_t both = CAIRN_ABI_HEADER_HASH, moved = CAIRN_ABI_HEADER_HASH_MOVED;
  bool again = (header & moved) != 0;

  if ((header & both) == 0)
    return 0;
  *(uintptr_t *)(now + bytes) = again ? *(uintptr_t *)(was + bytes) : cairn_object_hash_at(was);
  *cairn_object_header(now) = (header & ~both) | (again ? both : moved);
  return sizeof(uintptr_t);
}

/* Call `visit` for each strong reference field of the object at `object`; `layout` is the object's layout.
 * cairn_object_visit_weak() visits only the weak fields. Phase STOP. */
static inline void cairn_object_visit_some(uintptr_t object, const struct cairn_layout *layout, uint32_t weak,
                                           void (*visit)(void *env, struct cairn_slot slot), void *env)
{
  uint64_t count = layout->elem_refs != 0 ? cairn_object_count(object) : 0;
  const uint32_t *offsets = layout->offsets, *of_element = offsets + layout->base_refs;
  uintptr_t element = object + layout->elem_offset;
  struct cairn_slot slot;

  for (uint32_t i = 0; i < layout->base_refs; i++) {
    slot.address = (uintptr_t *)(object + (offsets[i] ^ weak));
    if ((offsets[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) == weak)
      visit(env, slot);
  }
  for (uint64_t e = 0; e < count; e++, element += layout->elem_size)
    for (uint32_t i = 0; i < layout->elem_refs; i++) {
      slot.address = (uintptr_t *)(element + (of_element[i] ^ weak));
      if ((of_element[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) == weak)
        visit(env, slot);
    }
}

static inline void cairn_object_visit(uintptr_t object, const struct cairn_layout *layout,
                                      void (*visit)(void *env, struct cairn_slot slot), void *env)
{
  cairn_object_visit_some(object, layout, 0, visit, env);
}
static inline void cairn_object_visit_weak(uintptr_t object, const struct cairn_layout *layout,
                                           void (*visit)(void *env, struct cairn_slot slot), void *env)
{
  if ((layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    cairn_object_visit_some(object, layout, CAIRN_ABI_LAYOUT_WEAK_OFFSET, visit, env);
}

/* Records that the object at `from` was copied to `to`, unless another thread has recorded a copy first. Returns the
 * address of the recorded copy: `to` if this thread was first. `seen` is the object's header, read before the copy.
 * Phase STOP; any number of threads at once. A thread that reads the header with acquire sees all earlier writes to the
 * copy. The function is one compare-and-swap, as in other parallel copying collectors (Halstead 1985). */
static inline uintptr_t cairn_object_forward(uintptr_t from, uintptr_t seen, uintptr_t to)
{
  if (__atomic_compare_exchange_n(cairn_object_header(from), &seen, cairn_header_to(to), false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return to;
  return cairn_header_forwarded_to(seen);
}

#ifdef __cplusplus
}
#endif

#endif
