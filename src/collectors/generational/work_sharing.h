/* SPDX-License-Identifier: Apache-2.0
 *
 * Several tracers share what is to be looked at. Each has a stack of its own, which no other
 * touches; when one has nothing left it says so, and another that has much gives the older half,
 * which leads to the most.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H
#define CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H

#include "collectors/generational/trace.h"

/* Before the tracers start: nobody has any work. */
void cn_work_sharing_begin(void);

/* How many tracers wait while there is nothing for them. */
extern unsigned cn_work_sharing_wanted;

static inline bool cn_work_sharing_is_wanted(void)
{
  return __atomic_load_n(&cn_work_sharing_wanted, __ATOMIC_RELAXED) != 0;
}

/* Has the tracer some to give? All that a walk along a list has is the rest of it: two tracers
 * would give each other that, node by node. */
static inline bool cn_work_sharing_has_enough(const struct cn_tracer *tracer)
{
  enum { MIN_SHARED_WORDS = 8 };

  return tracer->count - tracer->bottom >= MIN_SHARED_WORDS;
}

/* Give half of the tracer's stack to those that wait, if it has enough. */
void cn_work_sharing_give(struct cn_tracer *tracer);

/* The tracer has nothing left: wait for what another gives. False: all of `tracers` wait, so there
 * is nothing left at all. */
bool cn_work_sharing_take(struct cn_tracer *tracer, unsigned tracers);

#endif
