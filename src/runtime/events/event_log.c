/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the lines of CAIRN_LOG for collections, stops and compiled code; the watchdog prints arrivals. The file owns
 * numbers of earlier events for these lines: the wait of the last stop, its slowest thread, and the heap's bytes before
 * the collection. Runs on any thread, in any phase, under `dispatch_lock` of event_dispatch.c, one call at a time.
 */
#include "runtime/events/event_consumers.h"

#include <stdio.h>
#include "base/check.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/events/event_dispatch.h"
#include "runtime/events/phase_times.h"

/* Data of the current stop and of the current collection. */
static uint64_t stop_wait_nanoseconds, heap_bytes_before;
static int slowest_thread;

typedef unsigned long long printed_number;

/* The work of the collection beyond its request. */
static const char *further_work_of(const struct cairn_event *event)
{
  if (event->full != 0 && event->asked->extent == CAIRN_EXTENT_YOUNG)
    return "full instead; ";
  return event->marking_ended != 0 ? "marking ended; " : "";
}

static void print_collection_line(const struct cairn_event *event)
{
  const struct cairn_collection *asked = event->asked;
  uint64_t nanoseconds = event->time - event->since;
  char heap[80] = "", phases[320];

  CN_ASSERT(asked != NULL);
  if (event->heap != CAIRN_EVENT_UNKNOWN)
    snprintf(heap, sizeof heap, "heap %llu to %llu bytes; ", (printed_number)heap_bytes_before,
             (printed_number)event->heap);
  cn_report_print_text("cairn: gc: collection %llu: %s, %s, %zu bytes wanted; %llu frames, %llu roots, "
                       "%llu objects of %llu bytes moved; %s%s%llu.%llu us%s\n",
                       (printed_number)event->collection, cn_event_cause_name(asked->cause),
                       cn_event_extent_name(asked->extent), asked->bytes_needed, (printed_number)event->frames,
                       (printed_number)event->roots, (printed_number)event->objects_moved,
                       (printed_number)event->bytes_moved, heap, further_work_of(event),
                       (printed_number)nanoseconds / 1000, (printed_number)nanoseconds / 100 % 10,
                       cn_phase_times_format_last(phases, sizeof phases));
}

static void print_stop_line(const struct cairn_event *event)
{
  uint64_t nanoseconds = event->time - event->since;
  CN_ASSERT(event->since <= event->time);
  char last[40] = "waited for none";

  if (slowest_thread != 0)
    snprintf(last, sizeof last, "thread %d came last", slowest_thread);
  cn_report_print_text("cairn: stops: thread %d stopped the others for %llu.%llu us, after %llu.%llu us; "
                       "%s\n",
                       event->thread, (printed_number)nanoseconds / 1000, (printed_number)nanoseconds / 100 % 10,
                       (printed_number)stop_wait_nanoseconds / 1000, (printed_number)stop_wait_nanoseconds / 100 % 10,
                       last);
}

/* The language's text of the reason, or its number. */
static const char *reason_of(const struct cairn_event *event, char buffer[32])
{
  snprintf(buffer, 32, "reason %llu", (printed_number)event->reason);
  return event->reason_text != NULL ? event->reason_text : buffer;
}

static void print_code_line(const struct cairn_event *event)
{
  uint64_t nanoseconds = event->time - event->since;
  char reason[32];

  if (event->kind == CAIRN_EVENT_DEOPTIMISED)
    cn_report_print_text("cairn: deopt: thread %d leaves %.200s, %llu frames%s: %.200s\n", event->thread, event->name,
                         (printed_number)event->activations, event->marked != 0 ? ", at a return" : "",
                         reason_of(event, reason));
  else if (event->kind == CAIRN_EVENT_INVALIDATED)
    cn_report_print_text("cairn: deopt: thread %d marked %llu activations: %.200s\n", event->thread,
                         (printed_number)event->activations, reason_of(event, reason));
  else
    cn_report_print_text("cairn: deopt: thread %d compiled %.200s, tier %.40s, in %llu.%llu us\n", event->thread,
                         event->name, event->tier, (printed_number)nanoseconds / 1000,
                         (printed_number)nanoseconds / 100 % 10);
}

void cn_log_print_event(const struct cairn_event *event)
{
  switch (event->kind) {
  case CAIRN_EVENT_STOPPED:
    stop_wait_nanoseconds = event->time - event->since;
    slowest_thread = event->slowest;
    break;
  case CAIRN_EVENT_COLLECTION_BEGINS:
    heap_bytes_before = event->heap;
    break;
  case CAIRN_EVENT_COLLECTION_ENDS:
    if ((cn_options.log & CN_LOG_GC) != 0)
      print_collection_line(event);
    break;
  case CAIRN_EVENT_STOP_ENDS:
    if ((cn_options.log & CN_LOG_STOPS) != 0)
      print_stop_line(event);
    break;
  case CAIRN_EVENT_DEOPTIMISED:
  case CAIRN_EVENT_INVALIDATED:
  case CAIRN_EVENT_COMPILED:
    if ((cn_options.log & CN_LOG_DEOPT) != 0)
      print_code_line(event);
    break;
  case CAIRN_EVENT_PHASE_BEGINS:
  case CAIRN_EVENT_PHASE_ENDS:
    break;
  }
}
