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
bool cn_resize_is_array(uintptr_t array, const struct cairn_layout *layout);

enum cn_resize {
  CN_RESIZE_UNINIT = 1,     /* leave new elements uncleared */
  CN_RESIZE_NOT_LONGER = 2, /* managed code is interrupted, perhaps in an allocation */
};

/* Make the array shorter, and put a filler after it; or make it longer, if it is the last block of the mutator's
 * buffer, or a large object with room after it. False: there is too little room. The mutator's own thread, which is
 * busy. */
bool cn_resize_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize how);

#endif
