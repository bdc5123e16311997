/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the objects of the semispace heap that roots point into, or just past, and steps over blocks of from-space. The
 * file has no state; the first look-up of a collection makes the crossing map (crossing_map.c). Phase STOP, without
 * locks: the collecting thread, or, for steps over blocks, a thread that unloads an image.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/holder.h"
#include "collectors/interior.h"
#include "collectors/large_space.h"
#include "collectors/semispace.h"
#include "collectors/crossing_map.h"

/* The copy or the large object that contains the slot, or 0. Copies are complete up to the last one. */
static uintptr_t holder_of(uintptr_t slot)
{
  uintptr_t end, block = cn_large_contains(slot) ? cn_large_find_block(slot, &end) : 0, object = 0;
  uint64_t bytes;

  if (block != 0)
    return cn_semispace_large_payload(block);
  if (slot - cn_semispace_copying.to >= cn_semispace_copying.free - cn_semispace_copying.to)
    return 0;
  for (block = cn_semispace_copying.to; block <= slot; block = object + bytes) {
    object = cairn_block_object(block);
    const struct cairn_layout *layout = cairn_object_layout(object);
    if (!cairn_layout_is_known(layout) || cairn_object_payload(object, layout, &bytes) != CAIRN_OK)
      return 0;
  }
  return object;
}

void cn_semispace_die_no_object(const uintptr_t *slot, uintptr_t address, const char *why)
{
  cn_holder_die_no_object(holder_of((uintptr_t)slot), slot, address, cn_semispace_copying.number, why);
}

static bool is_forwarding_header(uintptr_t header)
{
  uintptr_t to = cairn_header_forwarded_to(header);

  return cairn_header_is_forwarded(header) &&
         to - CAIRN_ABI_HEADER_SIZE - cn_semispace_copying.to < cn_semispace_copying.free - cn_semispace_copying.to;
}

uintptr_t cn_semispace_step_over_block(uintptr_t block, uintptr_t *payload)
{
  CN_ASSERT(block >= cn_semispace_copying.from && block < cn_semispace_copying.from_end);
  return cn_interior_step_over_block(block, cn_semispace_copying.from_end, payload, is_forwarding_header);
}

uintptr_t cn_semispace_find_object(const uintptr_t *slot, uintptr_t address)
{
  if (cn_interior_is_certain_start(address, cn_semispace_copying.uncleared, is_forwarding_header))
    return address;
  if (!cn_semispace_copying.mapped &&
      !cn_crossing_begin_map(cn_semispace_copying.from_end, cn_semispace_step_over_block))
    cairn_out_of_memory(false, "no memory to find the object of interior pointer 0x%lx", (unsigned long)address);
  cn_semispace_copying.mapped = true;
  uintptr_t start = cn_crossing_find_object(address);
  if (start == 0)
    cn_semispace_die_no_object(slot, address, "no object reaches there");
  CN_ASSERT(start > cn_semispace_copying.from && start <= address);
  return start;
}

uintptr_t cn_semispace_large_payload(uintptr_t block)
{
  return is_forwarding_header(*(const uintptr_t *)block) ? block + CAIRN_ABI_HEADER_SIZE : cairn_block_object(block);
}

uintptr_t cn_semispace_find_large_object(const uintptr_t *slot, uintptr_t address)
{
  uintptr_t end, block = cn_large_find_block(address - CAIRN_ABI_HEADER_SIZE, &end);
  uintptr_t start = block != 0 ? cn_semispace_large_payload(block) : address;

  if (start > address)
    cn_semispace_die_no_object(slot, address, "it leads to a header");
  return start;
}
