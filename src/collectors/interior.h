/* SPDX-License-Identifier: Apache-2.0
 *
 * How collectors that copy find the sizes and the starts of objects of which some have been copied.
 * Each says with `is_forward`, which is inlined, whether a word tells where an object went: data
 * can look like that. Another tracer may write such words, so each is read once. Phase STOP.
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

typedef bool cn_interior_forward(uintptr_t word);

static inline uintptr_t cn_interior_read(const uintptr_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The header of the object at *at, or of its copy, which is where *at is then; and by how many
 * bytes the payload has grown there. */
static inline uintptr_t cn_interior_header(uintptr_t *at, size_t *grown, cn_interior_forward *is_forward)
{
  uintptr_t header = cn_interior_read(cairn_object_header(*at));

  *grown = 0;
  if (!is_forward(header))
    return header;
  *at = cairn_header_forwarded_to(header);
  header = cn_interior_read(cairn_object_header(*at));
  CN_ASSERT(!cairn_header_is_forwarded(header)); /* no copy is copied */
  *grown = cairn_header_hash_bytes(header) - cairn_header_hash_bytes_before(header);
  return header;
}

/* Where the block that begins at `block` ends, which is at most at `end`; its payload through
 * `payload`. What has been copied is as long as the copy. Never fails: calls cairn_fatal(). */
static inline uintptr_t cn_interior_next(uintptr_t block, uintptr_t end, uintptr_t *payload,
                                         cn_interior_forward *is_forward)
{
  uintptr_t first = cn_interior_read((const uintptr_t *)block);
  bool indexed = (first & 1) != 0 && !is_forward(first);
  uint64_t bytes;
  size_t grown;

  *payload = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
  uintptr_t at = *payload, header = cn_interior_header(&at, &grown, is_forward);
  if (!cn_crossing_payload(header, at, indexed, &bytes) || bytes - grown > end - *payload)
    cairn_fatal("the heap is damaged at 0x%lx: no object starts there", (unsigned long)block);
  return *payload + bytes - grown;
}

/* Is the word before `address` certainly a header? Data can look like one, so a look is enough only
 * where layouts lie at addresses with which a program is unlikely to compute, and where no array is
 * left as it was found. */
static inline bool cn_interior_is_start(uintptr_t address, bool uncleared, cn_interior_forward *is_forward)
{
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || uncleared)
    return false;
  uintptr_t header = cn_interior_read(cairn_object_header(address));
  if (is_forward(header))
    return true;
  return header >> 32 != 0 && cairn_layout_is_known(cairn_header_layout(header));
}

#endif
