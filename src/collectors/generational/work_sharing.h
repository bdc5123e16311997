/* SPDX-License-Identifier: Apache-2.0
 *
 * Work sharing between tracers. Each has its own stack, which only that tracer touches. A tracer whose stack is empty
 * asks for work; another that has enough gives the older half of its stack, which points to the most objects.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H
#define CN_COLLECTORS_GENERATIONAL_WORK_SHARING_H

#include "collectors/generational/trace.h"

/* Before the tracers start: all stacks are empty. */
void cn_work_sharing_begin(void);

/* How many tracers wait while the pool is empty. */
extern unsigned cn_work_sharing_wanted_count;

static inline bool cn_work_sharing_is_wanted(void)
{
  return __atomic_load_n(&cn_work_sharing_wanted_count, __ATOMIC_RELAXED) != 0;
}

/* True if the tracer has work to give. A walk along a list has only the rest of it: two tracers would give each other
 * that, node by node. */
static inline bool cn_work_sharing_has_spare_work(const struct cn_tracer *tracer)
{
  enum { MIN_SHARED_WORDS = 8 };

  return tracer->count - tracer->bottom >= MIN_SHARED_WORDS;
}

/* Give half of the tracer's stack to those that wait, if it has enough. */
void cn_work_sharing_give(struct cn_tracer *tracer);

/* The tracer's stack is empty: wait for work that another gives. False: all of `tracers` wait, so all work is done. */
bool cn_work_sharing_await_work(struct cn_tracer *tracer, unsigned tracers);

#endif
