/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields, ephemerons and finalisers: what the runtime's cairn_weak_process() asks.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H
#define CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H

#include "collectors/generational/trace.h"

/* When all is traced that roots and cards lead to: the rest. */
void cn_weak_trace(struct cn_tracer *tracer);

#endif
