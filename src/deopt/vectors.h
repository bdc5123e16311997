/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the callee-saved vector registers of an activation where frame maps do not suffice: native code, stubs, or the
 * runtime's own functions have saved them.
 */
#ifndef CN_DEOPT_VECTORS_H
#define CN_DEOPT_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/os/os.h"

/* Read the registers of the activation, which the platform's unwinder has found. */
void cn_vectors_read(const struct cn_os_frame *frame, uint64_t *vector);

/* Read the registers of the calling thread's activation with this return address and stack pointer. The call may load
 * the unwinder by malloc(). False: the unwinder does not find the activation. Ports without such registers always
 * succeed. */
bool cn_vectors_find(uintptr_t pc, uintptr_t sp, uint64_t *vector);

#endif
