/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends the program at a reference that is not the start of an object, with the type and the member that hold it.
 * Objects hold such a reference if the program stored an interior pointer where the compiler could not prove it
 * (docs/refused.md, derived-store), or if the heap is damaged. The file has no state. Phase STOP, on any tracing
 * thread.
 */
#include "collectors/holder.h"

#include <stdio.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

struct cn_holder_text cn_holder_describe(uintptr_t holder, const uintptr_t *slot)
{
  struct cn_holder_text text = {""};
  uintptr_t offset = (uintptr_t)slot - holder;
  uint64_t bytes;
  int length = snprintf(text.at, sizeof text.at, " in ");

  const struct cairn_layout *layout = holder != 0 ? cairn_object_layout(holder) : NULL;
  if (layout != NULL && cairn_layout_is_known(layout) && cairn_object_payload(holder, layout, &bytes) == CAIRN_OK &&
      offset < bytes)
    cairn_layout_place(layout, offset, text.at + length, sizeof text.at - (size_t)length);
  else
    text.at[0] = 0;
  return text;
}

_Noreturn void cn_holder_die_no_object(uintptr_t holder, const uintptr_t *slot, uintptr_t address, uint64_t collection,
                                       const char *why)
{
  struct cn_holder_text field = cn_holder_describe(holder, slot);

  cairn_fatal("reference 0x%lx, found at %p%s in collection %lu, is not the start of an object: %s%s",
              (unsigned long)address, (const void *)slot, field.at, (unsigned long)collection, why,
              field.at[0] ? "; objects hold references to the start of an object only [derived-store], see "
                            "docs/refused.md"
                          : "");
}
