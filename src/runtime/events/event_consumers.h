/* SPDX-License-Identifier: Apache-2.0
 *
 * The consumers of events within the runtime. CAIRN_LOG prints events as lines. CAIRN_TRACE=FILE writes events in the
 * trace-event format, a JSON array, which Perfetto reads. The caller serialises all calls.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_CONSUMERS_H
#define CN_RUNTIME_EVENTS_EVENT_CONSUMERS_H

#include <stdbool.h>
#include <cairn/events.h>

/* ---- event_log.c ---- */

void cn_log_print_event(const struct cairn_event *event);

/* ---- event_trace.c ---- */

/* Create the file. "%p" in `name` becomes the process's number. False: the file cannot be created, and a message gives
 * the reason. */
bool cn_trace_open(const char *name);
bool cn_trace_is_open(void);

/* Buffer an event; write the buffered events. An array without its end is a valid trace, so the written part is
 * readable if the program is killed. The first write that fails prints a message and ends the trace. */
void cn_trace_write_event(const struct cairn_event *event);
void cn_trace_flush(void);

/* cn_trace_close() writes the buffered events and the end of the array; cn_trace_drop_file() drops the file and the
 * buffered events. */
void cn_trace_close(void);
void cn_trace_drop_file(void);

#endif
