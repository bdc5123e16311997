/* SPDX-License-Identifier: Apache-2.0
 *
 * Unused memory is released while the program waits (CAIRN_IDLE), a part at a time, by steps of the background thread
 * (cairn_background_idle()).
 */
#ifndef CN_COLLECTORS_IDLE_H
#define CN_COLLECTORS_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_IDLE_BYTES ((size_t)256 << 10) /* in a step */

/* Under the lock of the space's allocation: discard the next part of [start, end), from *from on, and set *from to
 * where the next call continues. False: all is discarded. */
bool cn_discard_idle_memory(uintptr_t *from, uintptr_t start, uintptr_t end);

#endif
