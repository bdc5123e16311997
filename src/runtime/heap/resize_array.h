/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes the length of arrays.
 */
#ifndef CN_RUNTIME_HEAP_RESIZE_ARRAY_H
#define CN_RUNTIME_HEAP_RESIZE_ARRAY_H

#include <cairn/collector.h>
#include "runtime/core/mutator.h"

/* True if an array with an equal layout starts at `array`. The word before `array` must be readable, and may have any
 * value. */
bool cn_resize_has_array_at(uintptr_t array, const struct cairn_layout *layout);

enum cn_resize_flags {
  CN_RESIZE_LEAVE_UNCLEARED = 1,
  CN_RESIZE_FORBID_GROWTH = 2, /* for handlers: the signal may have interrupted an allocation */
};

/* Make the array shorter, and put a filler after it; or make the array longer, if it is the last block of the mutator's
 * buffer, or a large object with room after it. False: there is too little room. Called by the mutator's own thread in
 * a slow path. */
bool cn_resize_array_in_place(struct cairn_mutator *mutator, uintptr_t array, uint64_t count, enum cn_resize_flags how);

#endif
