/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements cairn_heap_histogram(): passes the rows of heap/type_histogram.c to the caller's visitor. Called on any
 * thread in phase MUTATE; the thread stops all others, and calls the visitor in phase STOP. All state is local.
 */
#include <cairn/heap.h>
#include "base/check.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"

enum cairn_status cairn_heap_histogram(cairn_heap_row_visitor *visit, void *env)
{
  struct cn_stopped_world world;
  enum cairn_status status = cn_world_stop(&world, "cairn_heap_histogram", (uintptr_t)__builtin_return_address(0));

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  cn_type_histogram_visit_rows(&world.walk, visit, env);
  cn_world_resume(&world);
  return CAIRN_OK;
}
