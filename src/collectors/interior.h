/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes and starts of objects during a copying collection, when some objects have been copied. The collector's inlined
 * function `is_forward` decides whether a word is a forwarding address, because data can look like one. Each word is
 * read once, because another tracer may write a forwarding address at the same time. Phase STOP.
 */
#ifndef CN_COLLECTORS_INTERIOR_H
#define CN_COLLECTORS_INTERIOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/crossing_map.h"

typedef bool cn_interior_forward_test(uintptr_t word);

static inline uintptr_t cn_interior_read_word(const uintptr_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The header of the object at *at, or of its copy, if the object has been copied; *at becomes the address of the copy.
 * *grown becomes the growth of the payload from the object to its copy, in bytes. */
static inline uintptr_t cn_interior_follow_to_header(uintptr_t *at, size_t *grown, cn_interior_forward_test *is_forward)
{
  uintptr_t header = cn_interior_read_word(cairn_object_header(*at));

  *grown = 0;
  if (!is_forward(header))
    return header;
  *at = cairn_header_forwarded_to(header);
  header = cn_interior_read_word(cairn_object_header(*at));
  CN_ASSERT(!cairn_header_is_forwarded(header)); /* a copy is never copied again */
  *grown = cairn_header_hash_bytes(header) - cairn_header_hash_bytes_before(header);
  return header;
}

/* Returns the end of the block that begins at `block`, which must not exceed `end`, and stores the address of its
 * payload in *payload. The size of a copied object comes from its copy. Calls cairn_fatal() in a damaged heap. */
static inline uintptr_t cn_interior_step_over_block(uintptr_t block, uintptr_t end, uintptr_t *payload,
                                                    cn_interior_forward_test *is_forward)
{
  uintptr_t first = cn_interior_read_word((const uintptr_t *)block);
  bool indexed = (first & 1) != 0 && !is_forward(first);
  uint64_t bytes;
  size_t grown;

  *payload = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
  uintptr_t at = *payload, header = cn_interior_follow_to_header(&at, &grown, is_forward);
  if (!cn_crossing_measure_payload(header, at, indexed, &bytes) || bytes - grown > end - *payload)
    cairn_fatal("the heap is damaged at 0x%lx: no object starts there", (unsigned long)block);
  return *payload + bytes - grown;
}

/* True if the word before `address` is certainly a header. Data can look like a header, so the check is certain only if
 * programs are unlikely to compute addresses of layouts, and if all arrays are cleared (`uncleared` is false). */
static inline bool cn_interior_is_certain_start(uintptr_t address, bool uncleared, cn_interior_forward_test *is_forward)
{
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || uncleared)
    return false;
  uintptr_t header = cn_interior_read_word(cairn_object_header(address));
  if (is_forward(header))
    return true;
  return header >> 32 != 0 && cairn_layout_is_known(cairn_header_layout(header));
}

#endif
