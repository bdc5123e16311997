/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells LeakSanitizer, alone or in AddressSanitizer, that objects of the heap may refer to memory of malloc(). Runs in
 * phase INIT, when a collector reserves addresses, on the thread that sets the heap up. LeakSanitizer keeps the list.
 */
#include "runtime/os/os.h"

#pragma weak __lsan_register_root_region
extern void __lsan_register_root_region(const void *at, size_t bytes);

void cn_os_register_leak_roots(uintptr_t at, size_t bytes)
{
  if (&__lsan_register_root_region != NULL)
    __lsan_register_root_region((const void *)at, bytes);
}
