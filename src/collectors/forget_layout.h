/* SPDX-License-Identifier: Apache-2.0
 *
 * What each object needs when an image is unloaded (`forget` of struct cairn_collector). Phase STOP.
 */
#ifndef CN_COLLECTORS_FORGET_LAYOUT_H
#define CN_COLLECTORS_FORGET_LAYOUT_H

#include <stdbool.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"

/* Marks the layout of the object as gone, and returns true, if the layout is in [start, stop); the payload ends at
 * `end`. Otherwise clears weak fields that point to objects of these layouts. `may_be_object` is true if an object may
 * begin at the address: weak fields of garbage objects may contain any address. */
static inline bool cn_forget_layout_of_object(uintptr_t payload, uintptr_t end, const unsigned char *start,
                                              const unsigned char *stop, bool (*may_be_object)(uintptr_t address))
{
  const struct cairn_layout *known = cairn_object_layout(payload);
  const unsigned char *layout = (const unsigned char *)known;

  CN_ASSERT(payload <= end && start <= stop);
  if (layout == NULL)
    return false;
  if (layout < start || layout >= stop) {
    if ((known->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
      cairn_weak_forget(payload, start, stop, may_be_object);
    return false;
  }
  *cairn_object_header(payload) = cairn_header_gone(end - payload);
  return true;
}

#endif
