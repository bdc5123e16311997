/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a reference may be stored: the answer to pass `check-stores`.
 */
#include <cairn/collector.h>
#include "runtime/image.h"
#include "runtime/mutator.h"
#include "runtime/report.h"

static bool holds(const struct cairn_global_root *root, uintptr_t slot)
{
  uintptr_t offset = slot - (uintptr_t)root->address;

  if (offset >= root->layout->base_size)
    return false;
  for (uint32_t i = 0; i < root->layout->base_refs; i++)
    if (root->layout->offsets[i] == offset)
      return true;
  return false;
}

static bool in_global(uintptr_t slot)
{
  static const struct cairn_global_root *last;

  if (last && holds(last, slot))
    return true;
  for (size_t i = 0; i < cn_image_count(); i++) {
    const struct cairn_image *image = cn_image_at(i);
    for (last = image->roots_start; last != image->roots_stop; last++)
      if (holds(last, slot))
        return true;
  }
  last = NULL;
  return false;
}

/* Called by compiled code, which passes where it is about to store a reference. A leaf: it
 * neither collects nor waits. */
__attribute__((visibility("default"))) void cairn_check_slot(const void *slot);

void cairn_check_slot(const void *slot)
{
  uintptr_t address = (uintptr_t)slot;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  char place[CN_REPORT_PC];

  if (address - here < cn_mutator_get()->stack_end - here || in_global(address))
    return;
  cairn_fatal("a reference is stored at %p, at pc %s, which is neither a local nor a global that "
              "holds references: the collector would not find it there",
              slot, cn_report_pc((uintptr_t)__builtin_return_address(0), place));
}
