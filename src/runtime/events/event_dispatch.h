/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens in the runtime, for all who want to know: listeners (<cairn/events.h>), CAIRN_LOG,
 * CAIRN_TRACE, probes. Nothing here allocates.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_DISPATCH_H
#define CN_RUNTIME_EVENTS_EVENT_DISPATCH_H

#include <stdbool.h>
#include <cairn/events.h>

/* Once, after the options: open CAIRN_TRACE. False: it cannot be opened, and a message says why. */
bool cn_events_begin(void);

/* Does anybody but probes look? If not, what takes time to find out need not be told. */
bool cn_events_wanted(void);

/* Tell of an event that happens now on the calling thread; time and thread are filled in. Returns
 * the time. */
uint64_t cn_events_tell(struct cairn_event event);

/* The world goes on, and the caller with it: write what the trace has buffered. */
void cn_events_flush(void);

/* In the child of a fork(): it has no trace. */
void cn_events_forked(void);

/* The program ends. */
void cn_events_end(void);

/* "allocation"; "young". */
const char *cn_event_cause(enum cairn_cause cause);
const char *cn_event_extent(enum cairn_extent extent);

#endif
