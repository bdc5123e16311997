/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory outside of the heap that objects keep (cairn_external_bytes()).
 */
#ifndef CN_RUNTIME_HEAP_EXTERNAL_H
#define CN_RUNTIME_HEAP_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
void cairn_external_bytes(long bytes);
#pragma GCC visibility pop

/* How much there is. */
uint64_t cn_external_bytes(void);

/* Has it become so much that a collection is due? */
bool cn_external_is_due(void);

/* All that is unreachable has been freed, or is in a queue of finalisers: what there is now is what
 * the program needs, as far as is known. Phase STOP. */
void cn_external_collected(void);

/* Print how much there is, for CAIRN_STATS: nothing if there never was any. */
void cn_external_print(void);

#endif
