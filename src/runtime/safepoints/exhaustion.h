/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory is exhausted: what the program is asked, and the line with which it ends.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H
#define CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>
#include <cairn/heap.h>

/* A collection found no room: note how much objects take. Phase STOP. */
void cn_exhaustion_note(void);

/* A full collection is over: did it make room? Phase STOP. */
void cn_exhaustion_full(enum cairn_cause cause);

/* Do full collections follow each other that make next to no room? Then an allocation finds none,
 * though there is a little, and the program ends instead of crawling on. */
bool cn_exhaustion_crawls(void);

/* Prepare a call of what cairn_on_exhaustion() was given. False: there is nothing to call, or it
 * was called often enough. In a slow path. */
struct cn_exhaustion_call {
  cairn_exhausted *call;
  void *env;
  struct cairn_exhaustion what;
};
bool cn_exhaustion_prepare(struct cn_exhaustion_call *call, size_t wanted, unsigned tries);

/* Do it, outside of the slow path. True: another collection is wanted. */
bool cn_exhaustion_call(struct cn_exhaustion_call *call);

/* The child of a fork(). */
void cn_exhaustion_forked(void);

/* End the program with the line. Not within a slow path. */
_Noreturn void cn_exhaustion_end(size_t wanted);

#endif
