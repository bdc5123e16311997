/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers call-frame information with the unwinder of the C++ library. The session's lock covers all calls; the file
 * has no state.
 */
#include "jit/unwinding.h"

#include "jit/linking_layer.h"

/* Of the C++ library's unwinder. */
void __register_frame(void *frames);
void __deregister_frame(void *frames);

void cn_unwinding_add(struct cn_linked *linked)
{
  __register_frame((void *)linked->frames);
}

void cn_unwinding_remove(struct cn_linked *linked)
{
  __deregister_frame((void *)linked->frames);
}
