/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_LOG: a line on the standard error stream for each event of the kinds that it names.
 */
#ifndef CN_RUNTIME_EVENTS_EVENT_LOG_H
#define CN_RUNTIME_EVENTS_EVENT_LOG_H

#include <cairn/events.h>

void cn_log_print_event(const struct cairn_event *event);

#endif
