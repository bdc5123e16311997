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
#include "runtime/walk/walk.h"

/* Read the registers of the activation, which the platform's unwinder has found. */
void cn_vectors_read(const struct cn_os_frame *frame, uint64_t *vector);

/* Read the registers of the calling thread's youngest managed activation, which has this return address and stack
 * pointer. The call may load the unwinder by malloc(). False: the unwinder does not find the activation. Ports without
 * such registers always succeed. */
bool cn_vectors_find(uintptr_t pc, uintptr_t sp, uint64_t *vector);

/* Do cn_walk_next(). `vector` has the registers of the activation, and gets those of its caller, unless native code or
 * an activation with an own manager lies between. */
bool cn_vectors_go_to_caller(struct cn_walk *walk, uint64_t *vector);

#endif
