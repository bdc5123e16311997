/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes identity hashes from the address that an object has at the first request of its hash, and owns the count of
 * objects whose hash was requested. The header records the request; a collector that moves such an object stores the
 * hash behind the object. O. Agesen, "Space and time-efficient hashing of garbage-collected objects" (1999). Hashes are
 * requested on mutators' threads, in phase MUTATE, and take no lock. Requests add to the count atomically; the
 * collecting thread reads and sets it in phase STOP.
 */
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"

#pragma GCC visibility push(default)
uintptr_t cairn_identity_hash(uintptr_t reference); /* <cairn/weak.h> */
#pragma GCC visibility pop

static uint64_t asked_hash_count; /* number of unmoved objects with a requested hash, at most */

/* Returns false for a static object. It never moves, and its header may be constant. */
static bool check_hashable_object(uintptr_t reference, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();
  uintptr_t object = reference - cairn_words.reference;

  if ((collector->traits & (CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_HASHES)) == CAIRN_COLLECTOR_MOVES)
    cn_report_fatal(pc, "the collector '%s' does not provide for identity hashes", collector->name);
  if (reference != 0 && cn_heap_is_object(object))
    return true;
  if (!cn_heap_is_static_object(object))
    cn_report_fatal(pc, "0x%lx is asked for its identity hash, which is not the start of an object",
                    (unsigned long)reference);
  return false;
}

/* The hash of an object with header `header`, whose hash was requested earlier. */
static uintptr_t known_hash_of(uintptr_t object, uintptr_t header)
{
  uint64_t bytes;

  if ((header & CAIRN_ABI_HEADER_HASH_MOVED) == 0)
    return cairn_object_hash_at(object);
  CN_CHECK(cairn_object_payload(object, cairn_header_layout(header), &bytes) == CAIRN_OK);
  return ((const uintptr_t *)(object + bytes))[-1];
}

uintptr_t cairn_identity_hash(uintptr_t reference)
{
  uintptr_t object = reference - cairn_words.reference, asks = CAIRN_ABI_HEADER_HASH_ASKED;

  if (!check_hashable_object(reference, (uintptr_t)__builtin_return_address(0)))
    return cairn_object_hash_at(object);
  uintptr_t header = __atomic_load_n(cairn_object_header(object), __ATOMIC_RELAXED);
  if (cairn_header_is_static(header)) /* a collector without is_object() calls it an object of the heap */
    return cairn_object_hash_at(object);
  if ((header & CAIRN_ABI_HEADER_HASH) != 0)
    return known_hash_of(object, header);
  header = __atomic_fetch_or(cairn_object_header(object), asks, __ATOMIC_RELAXED);
  CN_ASSERT((header & CAIRN_ABI_HEADER_HASH_MOVED) == 0); /* objects do not move during this function */
  if ((header & asks) == 0)
    __atomic_fetch_add(&asked_hash_count, 1, __ATOMIC_RELAXED);
  return cairn_object_hash_at(object);
}

uint64_t cairn_identity_asked(void)
{
  return __atomic_load_n(&asked_hash_count, __ATOMIC_RELAXED);
}

void cairn_identity_left(uint64_t count)
{
  CN_ASSERT(count <= asked_hash_count);
  asked_hash_count = count;
}
