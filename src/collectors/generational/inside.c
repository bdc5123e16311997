/* SPDX-License-Identifier: Apache-2.0
 *
 * Headers are not trusted: what looks like one may be data.
 */
#include "collectors/generational/inside.h"

#include <pthread.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/larges.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"
#include "collectors/large.h"
#include "collectors/starts.h"

/* A word that another tracer may change, to say where the object went: read once. */
static uintptr_t read(const uintptr_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The header of the object at *at, or of its copy, which is where *at is then; and by how many
 * bytes the payload has grown there. */
static uintptr_t header_of(uintptr_t *at, size_t *grown)
{
  uintptr_t header = read(cairn_object_header(*at));

  *grown = 0;
  if (!cn_tables_is_forward(header))
    return header;
  *at = cairn_header_forwarded_to(header);
  header = read(cairn_object_header(*at));
  CN_ASSERT(!cairn_header_is_forwarded(header)); /* no copy is copied */
  *grown = cairn_header_hash_bytes(header) - cairn_header_hash_bytes_before(header);
  return header;
}

uintptr_t cn_inside_step(uintptr_t block, uintptr_t *payload)
{
  uintptr_t first = read((const uintptr_t *)block), prefix = CAIRN_ABI_HEADER_SIZE;
  bool indexed = (first & 1) != 0 && !cn_tables_is_forward(first);
  uint64_t bytes;
  size_t grown;

  CN_CHECK(block >= cn_nursery.start && block < cn_nursery.free);
  if (indexed)
    prefix = CAIRN_ABI_INDEXED_HEADER_SIZE;
  *payload = block + prefix;
  uintptr_t at = *payload, header = header_of(&at, &grown);
  if (!cn_starts_payload(header, at, indexed, &bytes) || bytes - grown > cn_nursery.free - *payload)
    cairn_fatal("the heap is damaged at 0x%lx: no object starts there", (unsigned long)block);
  return *payload + bytes - grown;
}

/* Is the word before `address` certainly a header? Data can look like one, so a look is enough only
 * where layouts lie at addresses with which a program is unlikely to compute, and where no array is
 * left as it was found. */
static bool is_plainly_start(uintptr_t address)
{
  if (address % CAIRN_ABI_OBJECT_ALIGN != 0 || cn_cycle.uncleared)
    return false;
  uintptr_t header = read(cairn_object_header(address));
  if (cn_tables_is_forward(header))
    return true;
  return header >> 32 != 0 && cairn_layout_is_known(cairn_header_layout(header));
}

/* The map of starts, which grows as far as is asked for, is one for all tracers. */
static uintptr_t find_start(const uintptr_t *slot, uintptr_t address)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  pthread_mutex_lock(&lock);
  if (!cn_cycle.mapped && !cn_starts_begin(cn_nursery.free, cn_inside_step))
    cairn_out_of_memory(false, "no memory to find the object of interior pointer 0x%lx",
                        (unsigned long)address);
  cn_cycle.mapped = true;
  uintptr_t start = cn_starts_find(address);
  pthread_mutex_unlock(&lock);
  if (start == 0)
    cn_trace_no_object(slot, address, "no object reaches there");
  CN_ASSERT(start > cn_nursery.start && start <= address);
  return start;
}

uintptr_t cn_inside_nursery(const uintptr_t *slot, uintptr_t address)
{
  return is_plainly_start(address) ? address : find_start(slot, address);
}

void cn_inside_end(void)
{
  if (cn_cycle.mapped)
    cn_starts_drop();
  cn_cycle.mapped = false;
}

uintptr_t cn_inside_old(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t start = cn_tables_last_start(address);
  uint64_t bytes;
  size_t grown;

  if (start == 0)
    cn_trace_no_object(slot, address, "no object reaches there");
  if (start == address)
    return start;
  uintptr_t at = start, header = header_of(&at, &grown);
  const struct cairn_layout *layout = cairn_header_layout(header);
  if (!cn_starts_payload(header, at, layout != NULL && layout->elem_size != 0, &bytes) ||
      address - start > bytes - grown)
    cn_trace_no_object(slot, address, "no object reaches there");
  return start;
}

uintptr_t cn_inside_large(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find(address - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t start = block != 0 ? cn_larges_object(block) : 0;

  if (block == 0)
    cn_trace_no_object(slot, address, "an earlier collection freed it");
  if (start > address)
    cn_trace_no_object(slot, address, "it leads to a header");
  return start;
}
