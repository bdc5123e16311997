/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields, ephemerons and finalisers: the collector's part of cairn_weak_process(). Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H
#define CN_COLLECTORS_GENERATIONAL_WEAK_TRACING_H

#include "collectors/generational/trace.h"

/* Traces the objects that ephemerons and finalisers reach, after all objects that roots and cards reach. */
void cn_trace_weak_references(struct cn_tracer *tracer);

#endif
