/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts memory outside of the heap that objects keep (cairn_external_bytes()).
 */
#ifndef CN_RUNTIME_HEAP_EXTERNAL_H
#define CN_RUNTIME_HEAP_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
void cairn_external_bytes(long bytes);
#pragma GCC visibility pop

uint64_t cn_external_byte_count(void);

bool cn_external_is_collection_due(void);

/* Record the number of bytes after a full collection, which has freed all unreachable objects or queued them for
 * finalisers. Phase STOP. */
void cn_external_note_collection(void);

/* Print the number of bytes, for CAIRN_STATS, unless the program never had external bytes. */
void cn_external_print_stats(void);

#endif
