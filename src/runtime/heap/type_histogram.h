/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_HISTOGRAM: the objects in the heap by type.
 */
#ifndef CN_RUNTIME_HEAP_TYPE_HISTOGRAM_H
#define CN_RUNTIME_HEAP_TYPE_HISTOGRAM_H

#include <stdint.h>

/* Print a line for each type of which there are objects, that with the most bytes first. Phase
 * STOP, on the thread that collects, after a collection. Memory is the system's. */
void cn_type_histogram(uint64_t collection);

#endif
