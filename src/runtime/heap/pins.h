/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins (<cairn/pin.h>): which addresses the program has pinned, and where in its code.
 */
#ifndef CN_RUNTIME_HEAP_PINS_H
#define CN_RUNTIME_HEAP_PINS_H

#include <stdint.h>

#pragma GCC visibility push(default)
void *cairn_pin_at(uintptr_t reference, const char *site);
void cairn_unpin_at(uintptr_t reference, const char *site);
void cairn_unpin_address_at(void *address, const char *site);
#pragma GCC visibility pop

/* Print where objects were pinned, for CAIRN_STATS: nothing if nowhere. */
void cn_pins_print(void);

/* Null, or what is wrong with the table. The caller has no lock. */
const char *cn_pins_wrong(void);

#endif
