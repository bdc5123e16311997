/* SPDX-License-Identifier: Apache-2.0
 *
 * Which collection moved all objects away from an address: explains a fault.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_UNMAPPED_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_UNMAPPED_H

#include <stdbool.h>
#include <stdint.h>

/* STOP. Collection `number` has left [start, end). */
void cn_unmapped_note_range(uintptr_t start, uintptr_t end, uint64_t number);

/* Async-signal-safe. The last collection that left `address`; 0: unknown, or too long ago. */
uint64_t cn_unmapped_find_collection(uintptr_t address);

#endif
