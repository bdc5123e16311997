/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the bounds of stacks. Each thread finds the bounds of its stack.
 */
#ifndef CN_RUNTIME_CORE_BOUNDS_H
#define CN_RUNTIME_CORE_BOUNDS_H

#include <stdint.h>
#include "runtime/core/mutator.h"

/* The lowest address that managed code with stack checks may use on a stack with these bounds. */
uintptr_t cn_bounds_stack_floor(uintptr_t bottom, uintptr_t end);

/* Find the bounds of the mutator's current stack, whose end is already set. The caller sets the limit with
 * poll_word.h. */
void cn_bounds_find_stack(struct cairn_mutator *mutator);

#endif
