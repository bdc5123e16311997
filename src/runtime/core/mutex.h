/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock whose waiting threads sleep in the kernel. Any number of threads may wait: a release wakes one.
 * test/model/mutex.pml is its model.
 */
#ifndef CN_RUNTIME_CORE_MUTEX_H
#define CN_RUNTIME_CORE_MUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed: free. In the child of a fork() it may be zeroed again. */
struct cn_mutex {
  _Atomic uint32_t word;
};

/* False: `deadline` by cn_os_clock_nanoseconds() has passed, and another thread still has the lock; UINT64_MAX: wait
 * without limit. A thread must not take it twice. Signals are deferred during the wait. */
bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline);
void cn_mutex_release(struct cn_mutex *mutex);

/* Like cn_mutex_take(). Also false if another thread has the lock and `over` is true. */
typedef bool cn_mutex_give_up_test(const void *env);
bool cn_mutex_take_unless(struct cn_mutex *mutex, uint64_t deadline, cn_mutex_give_up_test *over, const void *env);
/* An `over` may have become true: have each waiting thread call its `over` again. Any thread. */
void cn_mutex_wake_waiters(struct cn_mutex *mutex);

#endif
