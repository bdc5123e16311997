/* SPDX-License-Identifier: Apache-2.0
 *
 * Events of the runtime for their consumers: listeners (<cairn/events.h>), CAIRN_LOG, CAIRN_TRACE, probes. Nothing
 * here allocates.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_DISPATCH_H
#define CN_RUNTIME_EVENTS_EVENT_DISPATCH_H

#include <stdbool.h>
#include <cairn/events.h>

/* Once, after the options: open CAIRN_TRACE. False: the file cannot be opened, and a message gives the reason. */
bool cn_events_begin(void);

/* True if there are consumers other than probes. Otherwise costly details of events can be left out. */
bool cn_events_have_consumers(void);

/* Report an event that happens now on the calling thread; time and thread are filled in. Returns the time. */
uint64_t cn_events_report(struct cairn_event event);

/* The world goes on, and the caller with it: write the buffered part of the trace. */
void cn_events_flush_trace(void);

/* In the child of a fork(): it is without a trace. */
void cn_events_reset_in_child(void);

/* The program ends. */
void cn_events_close_trace(void);

/* "allocation"; "young". */
const char *cn_event_cause_name(enum cairn_cause cause);
const char *cn_event_extent_name(enum cairn_extent extent);

#endif
