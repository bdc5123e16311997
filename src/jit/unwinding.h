/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the call-frame information of linked objects known to the C++ unwinder. Private to src/jit. The session's lock
 * covers all calls.
 */
#ifndef CN_JIT_UNWINDING_H
#define CN_JIT_UNWINDING_H

#ifdef __cplusplus
extern "C" {
#endif

struct cn_linked;

/* The object has call-frame information, which is complete. */
void cn_unwinding_add(struct cn_linked *linked);

/* Before the object's memory goes. */
void cn_unwinding_remove(struct cn_linked *linked);

#ifdef __cplusplus
}
#endif

#endif
