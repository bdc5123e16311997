/* SPDX-License-Identifier: Apache-2.0
 *
 * The mark stacks of tracers, and the space for copies. Private to trace.c.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_TRACE_MEMORY_H
#define CN_COLLECTORS_GENERATIONAL_TRACE_MEMORY_H

#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"

/* Objects from this size on are never copied twice, even if two tracers reach them at once. */
enum { CN_SINGLE_COPY_MIN_BYTES = CN_BLOCK_BYTES / 4 };

/* Enlarges a full stack, or ends the program. */
void cn_trace_make_stack_room(struct cn_tracer *tracer);

/* Frees a long stack, which must be empty. */
void cn_trace_reset_stack(struct cn_tracer *tracer);

/* Takes space for a copy of `bytes` that does not fit the cursor, or ends the program. */
uintptr_t cn_trace_refill_copy_cursor(struct cn_tracer *tracer, size_t bytes);

#endif
