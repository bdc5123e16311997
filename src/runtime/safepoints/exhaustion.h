/* SPDX-License-Identifier: Apache-2.0
 *
 * Exhaustion of memory: the callback of the program, and the last line of the program.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H
#define CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>
#include <cairn/heap.h>

/* A collection made too little room: record the size of the live objects. Phase STOP. */
void cn_exhaustion_record_live(void);

/* A full collection is over: record whether it made room. Phase STOP. */
void cn_exhaustion_record_full(enum cairn_cause cause);

/* True if full collections follow each other that make almost no room. Then an allocation fails though a little is
 * left, and the program ends instead of crawling on. */
bool cn_exhaustion_is_thrashing(void);

/* Prepare a call of the function that cairn_on_exhaustion() was given. False: it is unset, or has been called often
 * enough. In a slow path. */
struct cn_exhaustion_call {
  cairn_exhausted *call;
  void *env;
  struct cairn_exhaustion what;
};
bool cn_exhaustion_prepare_call(struct cn_exhaustion_call *call, size_t wanted, unsigned tries);

/* Call it, outside of the slow path. True: another collection is wanted. */
bool cn_exhaustion_call(struct cn_exhaustion_call *call);

/* In the child of a fork(). */
void cn_exhaustion_reset_after_fork(void);

/* End the program with the line. Outside slow paths. */
_Noreturn void cn_exhaustion_end_program(size_t wanted);

#endif
