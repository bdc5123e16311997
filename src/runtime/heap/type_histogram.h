/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the objects in the heap by type and field: CAIRN_HISTOGRAM, and cairn_heap_histogram() of <cairn/heap.h>.
 */
#ifndef CN_RUNTIME_HEAP_TYPE_HISTOGRAM_H
#define CN_RUNTIME_HEAP_TYPE_HISTOGRAM_H

#include <stdint.h>
#include <cairn/heap.h>
#include "runtime/heap/heap_walk.h"

/* Print a line for each type with objects, sorted by bytes in descending order. Phase STOP, on the collecting thread,
 * after a collection. Memory comes from the system. */
void cn_type_histogram_print(uint64_t collection);

/* Visit the rows of types and fields. The walk is open. */
void cn_type_histogram_visit_rows(const struct cn_heap_walk *walk, cairn_heap_row_visitor *visit, void *env);

#endif
