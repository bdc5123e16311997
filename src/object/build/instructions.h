/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions before a return address; instructions_ARCH.c knows them. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_INSTRUCTIONS_H
#define CN_OBJECT_BUILD_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the call that ends at `end`, in code that begins at `start`; 0 if none does. */
unsigned cn_port_call_length(const unsigned char *start, const unsigned char *end);

/* The same for a no-op: patchable statepoints ("statepoint-num-patch-bytes") end in one. */
unsigned cn_port_nop_length(const unsigned char *start, const unsigned char *end);

#endif
