/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the lines of CAIRN_LOG: gc, stops. The watchdog prints arrivals.
 */
#include "runtime/events/event_log.h"

#include <stdio.h>
#include "base/check.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/events/event_dispatch.h"

/* Of the stop and of the collection that are under way. */
static uint64_t waited, heap_before;
static int slowest;

typedef unsigned long long number;

static void log_collection(const struct cairn_event *event)
{
  const struct cairn_collection *asked = event->asked;
  uint64_t nanoseconds = event->time - event->since;
  char heap[80] = "";

  CN_ASSERT(asked != NULL);
  if (event->heap != CAIRN_EVENT_UNKNOWN)
    snprintf(heap, sizeof heap, "heap %llu to %llu bytes; ", (number)heap_before, (number)event->heap);
  cn_report_text("cairn: gc: collection %llu: %s, %s, %zu bytes wanted; %llu frames, %llu roots, "
                 "%llu objects of %llu bytes moved; %s%llu.%llu us\n",
                 (number)event->collection, cn_event_cause(asked->cause), cn_event_extent(asked->extent),
                 asked->bytes_needed, (number)event->frames, (number)event->roots, (number)event->objects_moved,
                 (number)event->bytes_moved, heap, (number)nanoseconds / 1000, (number)nanoseconds / 100 % 10);
}

static void log_stop(const struct cairn_event *event)
{
  uint64_t nanoseconds = event->time - event->since;
  CN_ASSERT(event->since <= event->time);
  char last[40] = "waited for none";

  if (slowest != 0)
    snprintf(last, sizeof last, "thread %d came last", slowest);
  cn_report_text("cairn: stops: thread %d stopped the others for %llu.%llu us, after %llu.%llu us; "
                 "%s\n",
                 event->thread, (number)nanoseconds / 1000, (number)nanoseconds / 100 % 10, (number)waited / 1000,
                 (number)waited / 100 % 10, last);
}

void cn_log_event(const struct cairn_event *event)
{
  switch (event->kind) {
  case CAIRN_EVENT_STOPPED:
    waited = event->time - event->since;
    slowest = event->slowest;
    break;
  case CAIRN_EVENT_COLLECTION_BEGINS:
    heap_before = event->heap;
    break;
  case CAIRN_EVENT_COLLECTION_ENDS:
    if ((cn_options.log & CN_LOG_GC) != 0)
      log_collection(event);
    break;
  case CAIRN_EVENT_STOP_ENDS:
    if ((cn_options.log & CN_LOG_STOPS) != 0)
      log_stop(event);
    break;
  case CAIRN_EVENT_PHASE_BEGINS:
  case CAIRN_EVENT_PHASE_ENDS:
    break;
  }
}
