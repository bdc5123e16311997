/* SPDX-License-Identifier: Apache-2.0
 *
 * What is pinned in this collection (<cairn/pin.h>): headers say so from its beginning to its end.
 * Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_PINNED_H
#define CN_COLLECTORS_GENERATIONAL_PINNED_H

#include <stdbool.h>
#include <stdint.h>

/* When the cycle has begun, before anything is reached. */
void cn_pinned_begin(void);

/* In between: has this pinned object been reached? */
bool cn_pinned_is_reached(uintptr_t object);

/* When all has been reached that is, before a sweep. Pins of other objects go. True: some objects
 * stay in the nursery, and are old. */
bool cn_pinned_end(void);

#endif
