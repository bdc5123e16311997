/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins (<cairn/pin.h>): the addresses that the program has pinned, and the places of these calls in its code.
 */
#ifndef CN_RUNTIME_HEAP_PINS_H
#define CN_RUNTIME_HEAP_PINS_H

#include <stdint.h>

#pragma GCC visibility push(default)
void *cairn_pin_at(uintptr_t reference, const char *site);
void cairn_unpin_at(uintptr_t reference, const char *site);
void cairn_unpin_address_at(void *address, const char *site);
#pragma GCC visibility pop

void cn_pins_print_sites(void);

/* Check the table. Returns the error, or null. The caller holds CN_LOCK_PINS, or no other thread accesses the table. */
const char *cn_pins_wrong(void);

#endif
