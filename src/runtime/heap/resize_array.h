/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the length of arrays.
 */
#ifndef CN_RUNTIME_HEAP_RESIZE_ARRAY_H
#define CN_RUNTIME_HEAP_RESIZE_ARRAY_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* True if an array with a layout like this one starts there. The word before `array` must be readable, and may be any
 * word. */
bool cn_resize_has_array_at(uintptr_t array, const struct cairn_layout *layout);

enum cn_resize_flags {
  CN_RESIZE_LEAVE_UNCLEARED = 1, /* leave new elements uncleared */
  CN_RESIZE_FORBID_GROWTH = 2,   /* managed code is interrupted, perhaps in an allocation */
};

/* Make the array shorter, and put a filler after it; or make it longer, if it is the last block of the mutator's
 * buffer, or a large object with room after it. False: there is too little room. The mutator's own thread, which is
 * busy. */
bool cn_resize_array_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize_flags how);

#endif
