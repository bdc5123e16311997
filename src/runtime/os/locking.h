/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is locked (mlockall()). Private to runtime/os.
 */
#ifndef CN_RUNTIME_OS_LOCKING_H
#define CN_RUNTIME_OS_LOCKING_H

#include <stddef.h>
#include <stdint.h>

/* Addresses were reserved: from here on their pages are locked when they are touched, not before.
 */
void cn_os_locking_begin(uintptr_t at, size_t bytes);
/* And were given back; others are none of these. */
void cn_os_locking_end(uintptr_t at);
/* If a fresh mapping is locked: lock its pages when they are touched. */
void cn_os_lock_on_fault(uintptr_t at, size_t bytes);

#endif
