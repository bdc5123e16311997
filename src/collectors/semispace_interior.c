/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the objects of the semispace heap that roots point into, or just past. Phase STOP, the collecting thread.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/interior.h"
#include "collectors/large_space.h"
#include "collectors/semispace.h"
#include "collectors/crossing_map.h"

void cn_semispace_no_object(const uintptr_t *slot, uintptr_t address, const char *why)
{
  cairn_fatal("reference 0x%lx, found at %p in collection %lu, is not the start of an object: %s",
              (unsigned long)address, (const void *)slot, (unsigned long)cn_copying.number, why);
}

static bool is_forward(uintptr_t header)
{
  uintptr_t to = cairn_header_forwarded_to(header);

  return cairn_header_is_forwarded(header) &&
         to - CAIRN_ABI_HEADER_SIZE - cn_copying.to < cn_copying.free - cn_copying.to;
}

uintptr_t cn_semispace_step(uintptr_t block, uintptr_t *payload)
{
  CN_ASSERT(block >= cn_copying.from && block < cn_copying.from_end);
  return cn_interior_next(block, cn_copying.from_end, payload, is_forward);
}

uintptr_t cn_semispace_interior(const uintptr_t *slot, uintptr_t address)
{
  if (cn_interior_is_start(address, cn_copying.uncleared, is_forward))
    return address;
  if (!cn_copying.mapped && !cn_crossing_begin(cn_copying.from_end, cn_semispace_step))
    cairn_out_of_memory(false, "no memory to find the object of interior pointer 0x%lx", (unsigned long)address);
  cn_copying.mapped = true;
  uintptr_t start = cn_crossing_find(address);
  if (start == 0)
    cn_semispace_no_object(slot, address, "no object reaches there");
  CN_ASSERT(start > cn_copying.from && start <= address);
  return start;
}

uintptr_t cn_semispace_large_object(uintptr_t block)
{
  return is_forward(*(const uintptr_t *)block) ? block + CAIRN_ABI_HEADER_SIZE : cairn_block_object(block);
}

uintptr_t cn_semispace_interior_large(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find(address - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t start = block != 0 ? cn_semispace_large_object(block) : address;

  if (start > address)
    cn_semispace_no_object(slot, address, "it leads to a header");
  return start;
}
