/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the details of a safepoint (framemap/details.h) by its return address in all images: source positions with
 * inlined functions, deopt values, spans.
 */
#ifndef CN_RUNTIME_DEBUG_SAFEPOINT_DETAILS_H
#define CN_RUNTIME_DEBUG_SAFEPOINT_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/details.h"

/* The details of the safepoint that returns to `pc`. False: unknown. Any thread and its signal handlers; a handler that
 * interrupts a look-up or an image's registration gets false. The result is valid while the image is loaded. An image
 * must stay loaded while a stack has an activation of its code. A malformed section ends the program. */
bool cn_safepoint_find_details(uintptr_t pc, struct cn_details *details);

/* The source position of virtual frame `depth` (0: the innermost) at `pc`. `*depths` gets the number of virtual frames,
 * at least 1. False: unknown. */
bool cn_safepoint_find_source(uintptr_t pc, uint32_t depth, struct cn_source_place *source, uint32_t *depths);

/* Write "file.c:12", the line of the call that returns to `pc`. False: unknown, or too long. */
bool cn_safepoint_format_line(uintptr_t pc, char *buffer, size_t size);

/* ---- safepoint_text.c ---- */

/* Write "function at file:line" of a safepoint from its details, which a stripped program keeps. False: the details
 * lack the position, or the thread has a report guard. Any thread. */
bool cn_safepoint_format_source(uintptr_t pc, char *buffer, size_t size);

#endif
