/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a heap dump as a self-contained page for browsers.
 */
#ifndef CN_DRIVER_TOOL_HEAP_PAGE_H
#define CN_DRIVER_TOOL_HEAP_PAGE_H

#include "dump/graph.h"

/* The text of heap_page.html, where the data replace "@HEAP@". */
extern const char cn_heap_page_text[];

/* Write the page to `path` ("-": standard output). False after a message. */
bool cn_heap_page_write(const struct cn_graph *graph, const char *path);

#endif
