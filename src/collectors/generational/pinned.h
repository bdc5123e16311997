/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that are pinned in this collection (<cairn/pin.h>); a bit in their headers is set from the begin of the
 * collection to its end. Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_PINNED_H
#define CN_COLLECTORS_GENERATIONAL_PINNED_H

#include <stdbool.h>
#include <stdint.h>

/* Pins the objects, after the cycle has begun and before the first object is reached. */
void cn_pinned_pin_objects(void);

/* True if this pinned object has been reached, during the collection. */
bool cn_pinned_is_reached(uintptr_t object);

/* Called when all reachable objects have been reached, before a sweep. Ends the pins of unreached objects. Returns true
 * if some objects stay in the nursery, and so are old. */
bool cn_pinned_end_collection(void);

#endif
