/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports the memory of the generational collector by parts (cairn_report_memory()).
 */
#ifndef CN_COLLECTORS_GENERATIONAL_MEMORY_REPORT_H
#define CN_COLLECTORS_GENERATIONAL_MEMORY_REPORT_H

#include <stddef.h>

/* Reports all parts. Of the `old` bytes of small old objects, `left` bytes are objects that the last full collection
 * left. Called like cairn_memory_report. */
void cn_memory_report_parts(size_t left, size_t old);

#endif
