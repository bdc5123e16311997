/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock whose waiting threads sleep in the kernel. Any number of threads may wait; a release wakes one thread.
 * test/model/mutex.pml is the lock's model.
 */
#ifndef CN_RUNTIME_CORE_MUTEX_H
#define CN_RUNTIME_CORE_MUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A zeroed mutex is free. The child of a fork() may zero a mutex again. */
struct cn_mutex {
  _Atomic uint32_t word;
};

/* Take the mutex; false if another thread still holds it at `deadline` (cn_os_clock_nanoseconds(); UINT64_MAX: wait
 * without limit). The holder must not take the mutex again. Signals are deferred during the wait. */
bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline);
void cn_mutex_release(struct cn_mutex *mutex);

/* Like cn_mutex_take(); also false if another thread holds the mutex and `over` returns true. */
typedef bool cn_mutex_give_up_test(const void *env);
bool cn_mutex_take_unless(struct cn_mutex *mutex, uint64_t deadline, cn_mutex_give_up_test *over, const void *env);
/* Make each waiting thread call `over` again, after a change of its result. Any thread. */
void cn_mutex_wake_waiters(struct cn_mutex *mutex);

#endif
