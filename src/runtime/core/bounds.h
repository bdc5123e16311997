/* SPDX-License-Identifier: Apache-2.0
 *
 * The bounds of stacks. Each thread finds its own.
 */
#ifndef CN_RUNTIME_CORE_BOUNDS_H
#define CN_RUNTIME_CORE_BOUNDS_H

#include <stdint.h>
#include "runtime/core/mutator.h"

/* On a stack with these bounds, the address at which managed code that checks the stack must stop. */
uintptr_t cn_bounds_stack_floor(uintptr_t bottom, uintptr_t end);

/* Find the bounds of the stack that the mutator is on, whose end is known. The caller sets the limit with
 * poll_word.h. */
void cn_bounds_find_stack(struct cairn_mutator *mutator);

#endif
