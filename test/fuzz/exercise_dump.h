/* SPDX-License-Identifier: Apache-2.0
 *
 * Read a heap dump, whatever the bytes are, and report it in all ways. Shared by the fuzz target
 * and the unit test that cuts and changes dumps.
 */
#ifndef CN_FUZZ_EXERCISE_DUMP_H
#define CN_FUZZ_EXERCISE_DUMP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump/dump_report.h"

/* What is alive is retained once: the objects that nothing dominates retain all. */
static inline void exercise_retained(const struct cn_graph *graph)
{
  uint64_t outermost = 0;

  for (uint32_t i = 0; i < graph->dump->objects.count; i++) {
    if ((graph->number[i] == 0) != (graph->dominator[i] == CN_GRAPH_NONE))
      abort();
    if (graph->dominator[i] == graph->root && graph->number[i] != 0)
      outermost += graph->retained[i];
    if (graph->number[i] != 0 && graph->retained[i] < graph->dump->objects.at[i].bytes)
      abort();
  }
  if (outermost != graph->live || graph->live > graph->dump->bytes)
    abort();
}

static inline void exercise_reports(const struct cn_dump *dump)
{
  static FILE *nowhere;
  struct cn_graph graph;
  char *error = NULL, which[40];

  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  cn_graph_make(&graph, dump);
  exercise_retained(&graph);
  cn_report_print_top(nowhere, &graph, 5);
  cn_report_print_diff(nowhere, &graph, &graph, 5);
  for (uint32_t i = 0; i < dump->objects.count && i < 20; i++) {
    snprintf(which, sizeof which, "0x%llx", (unsigned long long)dump->objects.at[i].address);
    int status = cn_report_print_path(nowhere, &graph, which, &error);
    if ((status == 0) != (graph.number[i] != 0) || (status == 0) == (error != NULL))
      abort();
    free(error);
    error = NULL;
  }
  cn_graph_free(&graph);
}

/* Negative: it was refused. */
static inline int exercise_dump(const unsigned char *bytes, size_t size)
{
  struct cn_dump dump;
  char *error = NULL;
  int status = cn_dump_read(&dump, bytes, size, &error);

  if (status < 0 && (error == NULL || strncmp(error, "at byte ", 8) != 0))
    abort();
  if (status == 0) {
    if (error != NULL || cn_dump_wrong(&dump) != NULL)
      abort();
    exercise_reports(&dump);
  }
  free(error);
  cn_dump_free(&dump);
  return status;
}

#endif
