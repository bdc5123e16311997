/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is locked (mlockall()). Private to runtime/os.
 */
#ifndef CN_RUNTIME_OS_LOCKING_H
#define CN_RUNTIME_OS_LOCKING_H

#include <stddef.h>
#include <stdint.h>

/* Addresses were reserved: from here on the kernel locks their pages at the first touch, and only then. */
void cn_os_locking_add_range(uintptr_t at, size_t bytes);
/* Memory at `at` goes; it may lie outside of reserved ranges. */
void cn_os_locking_remove_range(uintptr_t at);
/* If a fresh mapping is locked: lock its pages at the first touch. */
void cn_os_lock_on_fault(uintptr_t at, size_t bytes);

#endif
