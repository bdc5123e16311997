/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for branches of linked code. Private to src/jit. Pure function.
 */
#ifndef CN_JIT_BRANCH_H
#define CN_JIT_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

/* The 4 bytes that let a branch go to `target`: those of an edge of the kind CN_EDGE_BRANCH (linking_layer.h) at
 * `place`, which have the content `old`. False: the target is too far away. */
bool cn_jit_branch_to(uintptr_t place, uint32_t old, uintptr_t target, uint32_t *bytes);

#endif
