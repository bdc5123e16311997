/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats the text that names a safepoint in messages.
 */
#ifndef CN_RUNTIME_DEBUG_SAFEPOINT_TEXT_H
#define CN_RUNTIME_DEBUG_SAFEPOINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write "function at file:line" of a safepoint from its details, which a stripped program keeps. False: the details
 * lack the position, or the thread has a report guard. Any thread. */
bool cn_safepoint_format_source(uintptr_t pc, char *buffer, size_t size);

#endif
