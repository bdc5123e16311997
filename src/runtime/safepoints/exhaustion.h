/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles exhaustion of memory: the program's callback, and the message that ends the program.
 */
#ifndef CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H
#define CN_RUNTIME_SAFEPOINTS_EXHAUSTION_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>
#include <cairn/heap.h>

/* Record the size of the live objects after a collection that made too little room. Phase STOP. */
void cn_exhaustion_record_live(void);

/* Record whether a full collection, which has ended, made room. Phase STOP. */
void cn_exhaustion_record_full(enum cairn_cause cause);

/* True if many full collections in a row made almost no room. Allocations then fail although a little memory is left,
 * so that the program ends instead of collecting all the time. */
bool cn_exhaustion_is_thrashing(void);

/* Prepare a call of the callback of cairn_on_exhaustion(). False: the callback is unset, or has been called too often.
 * Called in a slow path. */
struct cn_exhaustion_call {
  cairn_exhausted *call;
  void *env;
  struct cairn_exhaustion what;
};
bool cn_exhaustion_prepare_call(struct cn_exhaustion_call *call, size_t wanted, unsigned tries);

/* Call the callback, outside of the slow path. True: the callback requests another collection. */
bool cn_exhaustion_call(struct cn_exhaustion_call *call);

void cn_exhaustion_reset_after_fork(void);

/* Called outside of slow paths. */
_Noreturn void cn_exhaustion_end_program(size_t wanted);

#endif
