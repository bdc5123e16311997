/* SPDX-License-Identifier: Apache-2.0
 *
 * Validates the semispace heap: its spaces, its allocation buffer, and each block from the start of the space to the
 * buffer. The file has no state, and only reads the heap. The collecting thread runs it in phase STOP, before the first
 * copy or after the last, without locks.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "collectors/semispace.h"

static const char *space_wrong(const struct cn_space *space)
{
  if (space->base % CAIRN_ABI_OBJECT_ALIGN != 0)
    return "semispace: a space is not aligned";
  if (space->committed > space->room)
    return "semispace: a space has more memory than addresses";
  return NULL;
}

static const char *buffer_wrong(const struct cn_semispace_heap_view *view)
{
  const struct cn_space *current = view->current;

  if (view->capacity > current->committed)
    return "semispace: the capacity has no memory";
  if (view->free < current->base || view->free > view->end || view->end - current->base > view->capacity)
    return "semispace: the allocation buffer is not within the capacity";
  if ((view->free | view->end) % CAIRN_ABI_OBJECT_ALIGN != 0)
    return "semispace: the allocation buffer is not aligned";
  return NULL;
}

/* Sets `*bytes` to the size of a block's payload. Returns false if the header is unknown or of another kind. `*known`
 * caches the layout of the previous lookup. */
static bool measure_block_payload(const uintptr_t *words, bool indexed, const struct cairn_layout **known,
                                  uint64_t *bytes)
{
  uintptr_t header = words[indexed];
  const struct cairn_layout *layout = cairn_header_layout(header);

  if (cairn_header_is_gone(header)) {
    *bytes = cairn_header_gone_bytes(header);
    return true;
  }
  if (!layout || (layout != *known && !cairn_layout_is_known(layout)))
    return false;
  *known = layout;
  return (layout->elem_size != 0) == indexed &&
         cairn_object_payload((uintptr_t)(words + 1 + indexed), layout, bytes) == CAIRN_OK;
}

static const char *blocks_wrong(uintptr_t block, uintptr_t end)
{
  const struct cairn_layout *known = NULL;

  while (block != end) {
    const uintptr_t *words = (const uintptr_t *)block;
    size_t prefix = cairn_block_object(block) - block;
    bool indexed = prefix == CAIRN_ABI_INDEXED_HEADER_SIZE;
    uint64_t bytes;
    if (end - block < prefix)
      return "semispace: a block has no room for its header";
    if (!measure_block_payload(words, indexed, &known, &bytes))
      return "semispace: a block has no known layout, or not one of its kind";
    if (bytes > end - block - prefix)
      return "semispace: a block does not end where one can";
    block += prefix + bytes;
  }
  return NULL;
}

const char *cn_semispace_heap_wrong(const struct cn_semispace_heap_view *view)
{
  const struct cn_space *current = view->current, *spare = view->spare;
  const char *wrong = space_wrong(current);

  if (!wrong)
    wrong = space_wrong(spare);
  if (!wrong && current->base < spare->base + spare->room && spare->base < current->base + current->room)
    wrong = "semispace: the two spaces overlap";
  if (!wrong)
    wrong = buffer_wrong(view);
  return wrong ? wrong : blocks_wrong(current->base, view->free);
}
