/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that walks have met outside all code with frame maps: return addresses of managed code into native code.
 * Each series of managed activations ends at one, so the answer is kept, in a small table whose addresses may
 * displace each other.
 */
#ifndef CN_RUNTIME_WALK_NATIVE_PCS_H
#define CN_RUNTIME_WALK_NATIVE_PCS_H

#include <stdbool.h>
#include <stdint.h>

/* True: `pc` was noted, and the table has not been cleared since. False: unknown. Any thread; code that is loaded
 * meanwhile cannot be on a stack that is being walked. */
bool cn_native_pcs_contain(uintptr_t pc);

/* Note that `pc` is outside all code with frame maps. This function and the next: holding CN_LOCK_FRAMES. */
void cn_native_pcs_add(uintptr_t pc);

/* Forget all: there is new code. */
void cn_native_pcs_clear(void);

#endif
