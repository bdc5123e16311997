/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that walks have come by and that are in no code with frame maps: return addresses of
 * managed code into native code. Each stretch of managed activations ends at one, so the answer is
 * kept, in a small table in which one address may take another's place.
 */
#ifndef CN_RUNTIME_WALK_NATIVE_PCS_H
#define CN_RUNTIME_WALK_NATIVE_PCS_H

#include <stdbool.h>
#include <stdint.h>

/* True: `pc` was noted, and the table not cleared since. False says nothing. Any thread; code that
 * is loaded meanwhile cannot be on a stack that is being walked. */
bool cn_native_pcs_hold(uintptr_t pc);

/* Note that it is in no code with frame maps. This one and the next: holding CN_LOCK_FRAMES. */
void cn_native_pcs_note(uintptr_t pc);

/* Forget all: there is new code. */
void cn_native_pcs_forget(void);

#endif
