/* SPDX-License-Identifier: Apache-2.0
 *
 * A log of the memory that collections left, which explains a fault at an address.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_UNMAPPED_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_UNMAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* STOP. Notes that collection `number` has moved all objects away from [start, end). */
void cn_unmapped_note_range(uintptr_t start, uintptr_t end, uint64_t number);

/* The last collection that moved objects away from `address`, or 0 if the log lacks the address. Async-signal-safe. */
uint64_t cn_unmapped_find_collection(uintptr_t address);

#endif
