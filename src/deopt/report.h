/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports of take-overs and marks (<cairn/events.h>), and descriptions of frames.
 */
#ifndef CN_DEOPT_REPORT_H
#define CN_DEOPT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include "deopt/site.h"

/* Write the language's description of a frame. */
void cn_deopt_describe_frame(const struct cairn_deopt_frame *frame, char *buffer, size_t size);

/* Implement the hooks of these kinds (hooks.h). A site whose operands were not decoded yet is unknown to a signal
 * handler. */
bool cn_deopt_describe_activation(const struct cn_frame_map *map, uint32_t index, char *buffer, size_t size);
const char *cn_deopt_mark_reason(const struct cn_frame_map *map, uint64_t reason);

/* The activation at a checked site is taken over. */
void cn_deopt_report_take_over(const struct cn_deopt_site *site, uint64_t reason, bool is_marked);

/* So many activations were marked; `site` is one of theirs, or null. */
void cn_deopt_report_marks(const struct cn_deopt_site *site, uint64_t reason, size_t count);

#endif
