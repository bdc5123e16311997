/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks reserved ranges for mlockall(). Private to runtime/os.
 */
#ifndef CN_RUNTIME_OS_LOCKING_H
#define CN_RUNTIME_OS_LOCKING_H

#include <stddef.h>
#include <stdint.h>

/* Record a reserved range. From now on the kernel locks its pages at the first touch. */
void cn_os_locking_add_range(uintptr_t at, size_t bytes);
/* Forget the reserved range that begins at `at`, if any. */
void cn_os_locking_remove_range(uintptr_t at);
/* If a new mapping is locked, lock its pages at the first touch instead. */
void cn_os_lock_on_fault(uintptr_t at, size_t bytes);

#endif
