/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock for which threads wait in the kernel.
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

/* False: `deadline` by cn_os_nanoseconds() has passed, and another thread still has it; UINT64_MAX:
 * wait without limit. A thread must not take it twice. */
bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline);
void cn_mutex_release(struct cn_mutex *mutex);

#endif
