/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of the collector and of compiled code, for programs that observe collections, such as a server that exports
 * its pauses or a game that counts collections per frame, or deoptimisations.
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
 * CAIRN_TRACE, CAIRN_LOG and the probes of <sys/sdt.h> show these events outside of the program (docs/environment.md).
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
  CAIRN_EVENT_STOPPED,           /* all threads are stopped, for a collection or another reason */
  CAIRN_EVENT_COLLECTION_BEGINS, /* a collection begins, within a stop; a stop may have several collections */
  CAIRN_EVENT_PHASE_BEGINS,      /* a part of a collection begins; the collector names the part */
  CAIRN_EVENT_PHASE_ENDS,        /* a part ends, on any thread of the collector; parts nest on each thread */
  CAIRN_EVENT_COLLECTION_ENDS,
  CAIRN_EVENT_STOP_ENDS,   /* the stopped threads are about to go on */
  CAIRN_EVENT_DEOPTIMISED, /* an activation leaves for its continuation (<cairn/deopt.h>), on its thread */
  CAIRN_EVENT_INVALIDATED, /* activations were marked, in the stop */
  CAIRN_EVENT_COMPILED     /* a module was compiled while the program runs, on the compiling thread */
};

#define CAIRN_EVENT_UNKNOWN UINT64_MAX

/* An event sets the members of its kind; all other members are 0. Later versions may add
 * members at the end, and kinds. */
struct cairn_event {
  enum cairn_event_kind kind;
  int thread;     /* the thread of the event, as by gettid() */
  uint64_t time;  /* nanoseconds of CLOCK_MONOTONIC */
  uint64_t since; /* the time of the request of the stop (STOPPED), or of the matching begin (*_ENDS,
                   * COMPILED) */

  /* STOPPED: the last thread that arrived at the stop, or 0 if no thread was awaited. */
  int slowest;

  /* PHASE_*: the name of the phase, a string of the collector. */
  const char *phase;

  /* COLLECTION_*: the number of the collection, from 1; the request to the collector; the bytes of all objects, garbage
   * included, or CAIRN_EVENT_UNKNOWN if the collector lacks both `ranges` and `used`. */
  uint64_t collection;
  const struct cairn_collection *asked;
  uint64_t heap;

  /* COLLECTION_ENDS: the numbers of scanned frames and roots, and of moved objects and bytes. */
  uint64_t frames, roots, objects_moved, bytes_moved;

  /* DEOPTIMISED: the language's description of the innermost frame, or the language's name; COMPILED: the module's
   * name. */
  const char *name;

  /* DEOPTIMISED: the number of frames of the language in the activation, and 1 if the activation was marked, else 0.
   * INVALIDATED: the number of marked activations. Both: the reason, and the language's text of it, or null. */
  uint64_t activations, marked;
  uint64_t reason;
  const char *reason_text;

  /* COMPILED: the name of the tier. */
  const char *tier;

  /* COLLECTION_ENDS, of a collector with generations: 1 if the collection found all unreachable objects while the
   * program was stopped; 1 if it ended a concurrent marking. */
  uint64_t full, marking_ended;
};

/* Called with each event, on the thread of the event, one call at a time. Most events come in phase STOP. A listener
 * must not run managed code, allocate managed objects, wait for another thread, call any function of this header or of
 * <cairn/heap.h>, or leave by a jump. A listener may take locks that every thread releases before it runs managed code,
 * such as the locks of malloc(). `event` is valid during the call only. */
typedef void cairn_listener(void *env, const struct cairn_event *event);

#pragma GCC visibility push(default)

/* Adds a listener, which receives each event from now on. Any thread may call, outside signal handlers that may have
 * interrupted managed code. MEMORY: there are eight listeners already, the maximum; BUSY: the caller is a listener. */
enum cairn_status cairn_listen(cairn_listener *listen, void *env);

/* Removes a listener. When the function returns, all calls of the listener have ended. Threads and BUSY are as for
 * cairn_listen(). UNKNOWN: the listener was not added with this `env`. */
enum cairn_status cairn_listen_end(cairn_listener *listen, void *env);

/* Reports COMPILED: for compilers in the program. JIT sessions (<cairn/jit.h>) report their modules. Any thread in
 * native code. */
void cairn_event_compiled(const char *name, const char *tier, uint64_t since);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
