/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends events of the runtime to their consumers: listeners (<cairn/events.h>), CAIRN_LOG, CAIRN_TRACE, probes. These
 * functions do not allocate.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_DISPATCH_H
#define CN_RUNTIME_EVENTS_EVENT_DISPATCH_H

#include <stdbool.h>
#include <cairn/events.h>

/* Open the file of CAIRN_TRACE; called once, after the options are parsed. False: the file cannot be opened, and a
 * message gives the reason. */
bool cn_events_begin(void);

/* True if there are consumers other than probes. If false, callers may leave out costly details of events. */
bool cn_events_have_consumers(void);

/* Report an event of the calling thread, with the current time. Returns the time. */
uint64_t cn_events_report(struct cairn_event event);

/* Fire the probe of event DEOPTIMISED, if there are no consumers. */
void cn_events_probe_deoptimised(const char *name, uint64_t frames, bool is_marked, uint64_t reason);

/* Write the buffered part of the trace. Called after the world has been released. */
void cn_events_flush_trace(void);

/* Called in the child of a fork(): drop the trace, which stays the parent's. */
void cn_events_reset_in_child(void);

/* Called when the program ends. */
void cn_events_close_trace(void);

/* The names in logs and traces, such as "allocation" and "young". */
const char *cn_event_cause_name(enum cairn_cause cause);
const char *cn_event_extent_name(enum cairn_extent extent);

#endif
