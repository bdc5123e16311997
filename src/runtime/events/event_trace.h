/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_TRACE=FILE: events in the trace-event format, an array of JSON, which Perfetto opens. The caller makes calls
 * come one at a time.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_TRACE_H
#define CN_RUNTIME_EVENTS_EVENT_TRACE_H

#include <stdbool.h>
#include <cairn/events.h>

/* Make the file. "%p" in its name is the process's number. False after a message. */
bool cn_trace_open(const char *name);
bool cn_trace_is_open(void);

/* Buffer an event; write the buffered ones. An array without end is a valid trace: if the program is killed, the
 * part that has been written can be read. The first write that fails prints a message, and ends the trace. */
void cn_trace_write_event(const struct cairn_event *event);
void cn_trace_flush(void);

/* Write the rest, and end the array; or forget the file. */
void cn_trace_close(void);
void cn_trace_drop_file(void);

#endif
