/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that walks have come by and that are in no code with frame maps: where native code goes
 * on that called managed code. Each stretch of managed activations ends at one, so that the answer
 * is kept. A small table, in which one address may take another's place.
 */
#ifndef CN_RUNTIME_WALK_NATIVE_PCS_H
#define CN_RUNTIME_WALK_NATIVE_PCS_H

#include <stdbool.h>
#include <stdint.h>

/* True: `pc` was noted, and nothing was forgotten since. False says nothing. Any thread; what is
 * loaded meanwhile cannot be on a stack that is being walked. */
bool cn_native_pcs_hold(uintptr_t pc);

/* It is in no code with frame maps. This one and the next: holding CN_LOCK_FRAMES. */
void cn_native_pcs_note(uintptr_t pc);

/* There is new code: forget all. */
void cn_native_pcs_forget(void);

#endif
