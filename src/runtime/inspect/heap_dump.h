/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_DUMP: a heap dump of a program that has run out of memory.
 */
#ifndef CN_RUNTIME_INSPECT_HEAP_DUMP_H
#define CN_RUNTIME_INSPECT_HEAP_DUMP_H

/* Write the file that CAIRN_DUMP names, or print the reason for the failure. The caller has stopped the world, at a
 * safepoint. */
void cn_dump_exhausted_heap(void);

#endif
