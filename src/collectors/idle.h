/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that nobody uses goes back to the system while the program waits (CAIRN_IDLE), a part at a
 * time, by steps of the thread beside it (cairn_background_idle()).
 */
#ifndef CN_COLLECTORS_IDLE_H
#define CN_COLLECTORS_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_IDLE_BYTES ((size_t)256 << 10) /* in a step */

/* Under the lock of who gives memory there: discard the next part of [start, end), from *from on,
 * which is to go on from *from. False: that is all. */
bool cn_idle_discard(uintptr_t *from, uintptr_t start, uintptr_t end);

#endif
