/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the times of collections by phase, for CAIRN_STATS and CAIRN_LOG. A phase is a part of a collection that its
 * collector names (cairn_phase_begins()). A nested phase counts by itself, so that the times of all phases add up to
 * the time of the collection; "other" is the time outside of phases. The calling thread of a collection alone counts.
 */
#ifndef CN_RUNTIME_EVENTS_PHASE_TIMES_H
#define CN_RUNTIME_EVENTS_PHASE_TIMES_H

#include <stddef.h>
#include <cairn/events.h>

/* Account for an event, which has its time. Called with each event, on its thread. */
void cn_phase_times_note_event(const struct cairn_event *event);

/* Write the phases of the collection that has just ended, such as ": roots 10.2, cards 0.4, other 1.0", in
 * microseconds. The result is text[], cut to `size`. Called before the next collection begins. */
const char *cn_phase_times_format_last(char *text, size_t size);

/* Print the lines of CAIRN_STATS: for each phase the time of all collections and of the longest one. */
void cn_phase_times_print(void);

#endif
