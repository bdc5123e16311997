/* SPDX-License-Identifier: Apache-2.0
 *
 * Work sharing between tracers. Each tracer has its own stack, which only that tracer accesses. A tracer with an empty
 * stack requests work; a tracer with enough work gives the older half of its stack, whose objects reach the most
 * objects. Phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H
#define CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H

#include "collectors/generational/trace.h"

/* Called before the tracers start, when the pool is empty. */
void cn_work_sharing_begin(void);

/* The number of tracers that wait for work, if the pool is empty; otherwise 0. */
extern unsigned cn_work_sharing_wanted_count;

static inline bool cn_work_sharing_is_wanted(void)
{
  return __atomic_load_n(&cn_work_sharing_wanted_count, __ATOMIC_RELAXED) != 0;
}

/* True if the tracer has work to give. A tracer that follows a list has only the next node, which two tracers would
 * otherwise pass back and forth. */
static inline bool cn_work_sharing_has_spare_work(const struct cn_tracer *tracer)
{
  enum { MIN_SHARED_WORDS = 8 };

  return tracer->count - tracer->bottom >= MIN_SHARED_WORDS;
}

/* Gives half of the tracer's stack to waiting tracers, if the tracer has enough work. */
void cn_work_sharing_give(struct cn_tracer *tracer);

/* Waits, with an empty stack, for work of another tracer. Returns false when all `tracers` tracers wait, so that all
 * work is done. */
bool cn_work_sharing_await_work(struct cn_tracer *tracer, unsigned tracers);

#endif
