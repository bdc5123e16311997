/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches return addresses outside all code with frame maps: returns of managed code into native code. Each series of
 * managed activations ends at such an address. The table is small, and a new address may replace an old address.
 */
#ifndef CN_RUNTIME_WALK_NATIVE_PCS_H
#define CN_RUNTIME_WALK_NATIVE_PCS_H

#include <stdbool.h>
#include <stdint.h>

/* True: `pc` is outside all code with frame maps. False: unknown. Any thread. Code that is loaded during the call has
 * no activation on a stack that is being walked. */
bool cn_native_pcs_contain(uintptr_t pc);

/* Note that `pc` is outside all code with frame maps. The caller of this and of the next function holds
 * CN_LOCK_FRAMES. */
void cn_native_pcs_add(uintptr_t pc);

/* Forget all addresses, because of new code. */
void cn_native_pcs_clear(void);

#endif
