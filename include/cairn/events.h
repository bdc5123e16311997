/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of the collector, for a program that wants to see them as they happen: a server that
 * exports its pauses, a game that counts collections per frame.
 *
 *   static void listen(void *env, const struct cairn_event *event)
 *   {
 *     struct pauses *pauses = env;
 *     if (event->kind == CAIRN_EVENT_COLLECTION_ENDS)
 *       pauses->nanoseconds += event->time - event->since;
 *   }
 *   ...
 *   cairn_listen(listen, &pauses);
 *
 * CAIRN_TRACE, CAIRN_LOG and the probes of <sys/sdt.h> tell of the same events from outside
 * (docs/environment.md).
 */
#ifndef CAIRN_EVENTS_H
#define CAIRN_EVENTS_H

#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_event_kind {
  CAIRN_EVENT_STOPPED,           /* all threads stand; for a collection or something else */
  CAIRN_EVENT_COLLECTION_BEGINS, /* within a stop; several may follow each other in one */
  CAIRN_EVENT_PHASE_BEGINS,      /* a part of a collection that the collector names; on any */
  CAIRN_EVENT_PHASE_ENDS,        /* of its threads, and they nest on each */
  CAIRN_EVENT_COLLECTION_ENDS,
  CAIRN_EVENT_STOP_ENDS /* the threads are about to go on */
};

#define CAIRN_EVENT_UNKNOWN UINT64_MAX

/* Members that the kind does not name are 0. Later versions may add members at the end. */
struct cairn_event {
  enum cairn_event_kind kind;
  int thread;     /* on which it happened, as gettid() has it */
  uint64_t time;  /* nanoseconds of CLOCK_MONOTONIC */
  uint64_t since; /* STOPPED: when the stop was requested; ENDS: when that began which ends */

  /* STOPPED: the thread that came last, which the stop waited for; 0: it waited for none. */
  int slowest;

  /* PHASE_*: a string of the collector's. */
  const char *phase;

  /* COLLECTION_*: its number, from 1; what was asked of the collector; bytes in objects, garbage
   * included, or CAIRN_EVENT_UNKNOWN: the collector does not say where they are (`ranges`). */
  uint64_t collection;
  const struct cairn_collection *asked;
  uint64_t heap;

  /* COLLECTION_ENDS: what it looked at and moved. */
  uint64_t frames, roots, objects_moved, bytes_moved;
};

/* Called with each event, on the thread on which it happens, one call at a time. Most come in phase
 * STOP: a listener must not run managed code, allocate managed objects, wait for another thread,
 * call any function of this header or of <cairn/heap.h>, or leave by a jump. It may lock what no
 * thread keeps while it runs managed code; malloc() is such a thing. `event` is gone after the
 * call. */
typedef void cairn_listener(void *env, const struct cairn_event *event);

#pragma GCC visibility push(default)

/* Call `listen` with each event from now on. Any thread, but no signal handler that may have
 * interrupted managed code. MEMORY: eight listeners are the most; BUSY: within a listener. */
enum cairn_status cairn_listen(cairn_listener *listen, void *env);

/* Call it no longer: when this returns, no call of it is under way. As above. UNKNOWN: it was not
 * called with this `env`. */
enum cairn_status cairn_listen_end(cairn_listener *listen, void *env);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
