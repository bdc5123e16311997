/* SPDX-License-Identifier: Apache-2.0
 *
 * Dispatches the runtime's events to consumers: probes, times by phase, listeners of the program, CAIRN_LOG and
 * CAIRN_TRACE. Owns the table of listeners (`listeners`), the flag that consumers exist (`has_consumers`, atomic), and
 * `dispatch_lock`. Runs on any thread, in any phase; `dispatch_lock` guards the table and serialises all events except
 * those for probes. A thread-local flag (`is_reporting`) detects a consumer that causes an event or changes the table.
 * The child of a fork() frees `dispatch_lock`.
 */
#include "runtime/events/event_dispatch.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/events/probes.h"
#include "runtime/events/event_consumers.h"
#include "runtime/events/phase_times.h"
#include "runtime/os/os.h"

enum { MAX_LISTENERS = 8 };

static struct listener_entry {
  cairn_listener *listen; /* null: the entry is free */
  void *env;
} listeners[MAX_LISTENERS];
static struct cn_mutex dispatch_lock;
static atomic_bool has_consumers;
static _Thread_local bool is_reporting;

const char *cn_event_cause_name(enum cairn_cause cause)
{
  static const char *const causes[] = {
      [CAIRN_CAUSE_ALLOCATION] = "allocation",  [CAIRN_CAUSE_ASKED] = "cairn_collect()",
      [CAIRN_CAUSE_HANDLER] = "signal handler", [CAIRN_CAUSE_EMERGENCY] = "emergency",
      [CAIRN_CAUSE_STRESS] = "stress",          [CAIRN_CAUSE_EXTERNAL] = "external bytes"};

  CN_CHECK(cause < sizeof causes / sizeof *causes);
  return causes[cause];
}

const char *cn_event_extent_name(enum cairn_extent extent)
{
  static const char *const extents[] = {
      [CAIRN_EXTENT_YOUNG] = "young", [CAIRN_EXTENT_FULL] = "full", [CAIRN_EXTENT_MOVE_ALL] = "move all"};

  CN_CHECK(extent < sizeof extents / sizeof *extents);
  return extents[extent];
}

static bool has_listeners(void)
{
  for (size_t i = 0; i < MAX_LISTENERS; i++)
    if (listeners[i].listen != NULL)
      return true;
  return false;
}

static void update_consumers(void)
{
  atomic_store(&has_consumers, has_listeners() || cn_trace_is_open() ||
                                   (cn_options.log & (CN_LOG_GC | CN_LOG_STOPS | CN_LOG_DEOPT)) != 0);
}

bool cn_events_begin(void)
{
  CN_PROBES_KEEP();
  if (cn_options.trace != 0 && !cn_trace_open(CN_OPTION_TEXT(cn_options.trace)))
    return false;
  update_consumers();
  return true;
}

bool cn_events_have_consumers(void)
{
  return atomic_load_explicit(&has_consumers, memory_order_relaxed);
}

__attribute__((noinline)) void cn_events_probe_deoptimised(const char *name, uint64_t frames, bool is_marked,
                                                           uint64_t reason)
{
  CN_PROBE4(deoptimised, name, frames, is_marked, reason);
}

static void fire_probe(const struct cairn_event *event)
{
  switch (event->kind) {
  case CAIRN_EVENT_STOPPED:
    CN_PROBE2(stopped, event->time - event->since, event->slowest);
    break;
  case CAIRN_EVENT_COLLECTION_BEGINS:
    CN_PROBE4(collection__begins, event->collection, event->asked->cause, event->asked->extent,
              event->asked->bytes_needed);
    break;
  case CAIRN_EVENT_PHASE_BEGINS:
    CN_PROBE1(phase__begins, event->phase);
    break;
  case CAIRN_EVENT_PHASE_ENDS:
    CN_PROBE1(phase__ends, event->phase);
    break;
  case CAIRN_EVENT_COLLECTION_ENDS:
    CN_PROBE4(collection__ends, event->collection, event->time - event->since, event->objects_moved,
              event->bytes_moved);
    break;
  case CAIRN_EVENT_STOP_ENDS:
    CN_PROBE1(stop__ends, event->time - event->since);
    break;
  case CAIRN_EVENT_DEOPTIMISED:
    cn_events_probe_deoptimised(event->name, event->activations, event->marked != 0, event->reason);
    break;
  case CAIRN_EVENT_INVALIDATED:
    CN_PROBE2(invalidated, event->activations, event->reason);
    break;
  case CAIRN_EVENT_COMPILED:
    CN_PROBE2(compiled, event->name, event->time - event->since);
    break;
  }
}

static bool begin_report(void)
{
  if (is_reporting)
    return false;
  cn_mutex_take(&dispatch_lock, UINT64_MAX);
  is_reporting = true;
  return true;
}

static void end_report(void)
{
  CN_CHECK(is_reporting);
  is_reporting = false;
  cn_mutex_release(&dispatch_lock);
}

uint64_t cn_events_report(struct cairn_event event)
{
  event.time = cn_os_clock_nanoseconds();
  CN_ASSERT(event.since <= event.time);
  cn_phase_times_note_event(&event);
  fire_probe(&event);
  if (!cn_events_have_consumers())
    return event.time;
  event.thread = cn_os_thread();
  if (!begin_report())
    cairn_fatal("a listener of <cairn/events.h> causes an event");
  cn_log_print_event(&event);
  cn_trace_write_event(&event);
  for (size_t i = 0; i < MAX_LISTENERS; i++)
    if (listeners[i].listen != NULL)
      listeners[i].listen(listeners[i].env, &event);
  end_report();
  return event.time;
}

void cn_events_flush_trace(void)
{
  if (!cn_events_have_consumers() || !begin_report())
    return;
  cn_trace_flush();
  end_report();
}

void cn_events_reset_in_child(void)
{
  atomic_store(&dispatch_lock.word, 0);
  cn_trace_drop_file();
  update_consumers();
}

/* Does not close the trace if a listener calls exit(): the mutex is locked, and the trace keeps its written events. */
void cn_events_close_trace(void)
{
  if (!begin_report())
    return;
  cn_trace_close();
  update_consumers();
  end_report();
}

void cairn_phase_begins(const char *name)
{
  CN_CHECK(name != NULL);
  cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_PHASE_BEGINS, .phase = name});
}

void cairn_phase_ends(const char *name)
{
  CN_CHECK(name != NULL);
  cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_PHASE_ENDS, .phase = name});
}

/* No handler of a signal may cause an event while this thread reports one. */
void cairn_event_compiled(const char *name, const char *tier, uint64_t since)
{
  CN_CHECK(name != NULL && tier != NULL);
  cn_defer_signals();
  cn_events_report((struct cairn_event){.kind = CAIRN_EVENT_COMPILED, .since = since, .name = name, .tier = tier});
  cn_undefer_signals();
}

/* ---- listeners ---- */

static struct listener_entry *find_listener(cairn_listener *listen, const void *env)
{
  for (size_t i = 0; i < MAX_LISTENERS; i++)
    if (listeners[i].listen == listen && (listen == NULL || listeners[i].env == env))
      return &listeners[i];
  return NULL;
}

static enum cairn_status replace_listener(cairn_listener *from, const void *env, struct listener_entry to,
                                          enum cairn_status none)
{
  if (!begin_report())
    return CAIRN_E_BUSY;
  struct listener_entry *place = find_listener(from, env);
  if (place != NULL)
    *place = to;
  update_consumers();
  end_report();
  return place != NULL ? CAIRN_OK : none;
}

enum cairn_status cairn_listen(cairn_listener *listen, void *env)
{
  CN_CHECK(listen != NULL);
  return replace_listener(NULL, NULL, (struct listener_entry){listen, env}, CAIRN_E_MEMORY);
}

enum cairn_status cairn_listen_end(cairn_listener *listen, void *env)
{
  CN_CHECK(listen != NULL);
  return replace_listener(listen, env, (struct listener_entry){NULL, NULL}, CAIRN_E_UNKNOWN);
}
