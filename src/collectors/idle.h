/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of the background thread (cairn_background_idle()) release unused memory part by part while the program waits
 * (CAIRN_IDLE).
 */
#ifndef CN_COLLECTORS_IDLE_H
#define CN_COLLECTORS_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_IDLE_BYTES ((size_t)256 << 10) /* bytes that a step releases */

/* Discards the next part of [start, end), from *from on, and sets *from to the address where the next call continues.
 * Returns false when everything is discarded. Under the lock that guards the space's allocation. */
bool cn_discard_idle_memory(uintptr_t *from, uintptr_t start, uintptr_t end);

#endif
