/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields, ephemerons and finalisers: answers to the runtime's cairn_weak_process().
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H
#define CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H

#include "collectors/generational/trace.h"

/* After all that roots and cards reach has been traced: trace the rest. */
void cn_trace_weak_references(struct cn_tracer *tracer);

#endif
