/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that get another length.
 */
#ifndef CN_RUNTIME_HEAP_RESIZE_ARRAY_H
#define CN_RUNTIME_HEAP_RESIZE_ARRAY_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* Is that the start of an array with a layout like this one? Never follows what is none. */
bool cn_resize_is_array(uintptr_t array, const struct cairn_layout *layout);

enum cn_resize {
  CN_RESIZE_UNINIT = 1,     /* do not clear new elements */
  CN_RESIZE_NOT_LONGER = 2, /* managed code is interrupted, maybe while it allocates */
};

/* Make the array shorter, and leave a filler; or longer, if it is the last block of the mutator's
 * buffer, or a large object with room after it. False: there is no room. The mutator's own thread,
 * which is busy. */
bool cn_resize_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize how);

#endif
