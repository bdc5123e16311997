/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that are pinned in this collection (<cairn/pin.h>): a bit in their headers tells, from its beginning to its
 * end. Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_PINNED_H
#define CN_COLLECTORS_GENERATIONAL_PINNED_H

#include <stdbool.h>
#include <stdint.h>

/* When the cycle has begun, before the first object is reached. */
void cn_pinned_pin_objects(void);

/* During the collection: true if this pinned object has been reached. */
bool cn_pinned_is_reached(uintptr_t object);

/* When all reachable objects have been reached, before a sweep. Pins of other objects end. True: some objects stay in
 * the nursery, and are old. */
bool cn_pinned_end_collection(void);

#endif
