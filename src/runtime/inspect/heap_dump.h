/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_DUMP: a heap dump of a program whose memory has run out.
 */
#ifndef CN_RUNTIME_INSPECT_HEAP_DUMP_H
#define CN_RUNTIME_INSPECT_HEAP_DUMP_H

/* Write the file that CAIRN_DUMP names, or else a line that says why this failed. The caller has stopped the world, at
 * a safepoint. */
void cn_dump_exhausted_heap(void);

#endif
