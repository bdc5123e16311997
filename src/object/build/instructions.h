/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises the instructions before a return address; instructions_ARCH.c is the implementation. Private to
 * src/object.
 */
#ifndef CN_OBJECT_BUILD_INSTRUCTIONS_H
#define CN_OBJECT_BUILD_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the call that ends at `end`, in code that begins at `start`. 0 if no call ends at `end`. */
unsigned cn_port_call_length(const unsigned char *start, const unsigned char *end);

/* The length of the no-op that ends at `end`. 0 if no no-op ends at `end`. Patchable statepoints
 * ("statepoint-num-patch-bytes") end in a no-op. */
unsigned cn_port_nop_length(const unsigned char *start, const unsigned char *end);

/* True if [start, end) consists of no-ops of the forms that LLVM emits. */
bool cn_port_is_nops(const unsigned char *start, const unsigned char *end);

/* The length of the call of a patchpoint's target at `start`, in the form that LLVM emits. 0 if code of another form
 * is there. */
unsigned cn_port_target_call_length(const unsigned char *start, const unsigned char *end);

#endif
