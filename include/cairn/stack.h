/* SPDX-License-Identifier: Apache-2.0
 *
 * Iterate over the activations of managed functions on the calling thread's stack, and enumerate
 * the roots of each. After the Pillar stack iterator (seeds: pillar-stack-iterator-2011).
 *
 *   struct cairn_stack_iterator it;
 *   for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
 *     cairn_stack_enumerate(&it, callback, env);
 *
 * Who may call: native code that managed code called, directly or through other native code; and a
 * collector, in phase STOP. The iterator is valid until that call returns, and until the next
 * collection; it owns nothing. Native activations between managed ones are stepped over. Nothing
 * here fails: a stack that cannot be parsed ends the program with a message.
 */
#ifndef CAIRN_STACK_H
#define CAIRN_STACK_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* The caller's storage; what is in it is the runtime's business. */
struct cairn_stack_iterator {
  uintptr_t words[48];
};

/* Set the iterator to the youngest managed activation, past the end if there is none. */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator);

/* Step to the caller's, or past the end. Does nothing past the end. */
void cairn_stack_next(struct cairn_stack_iterator *iterator);

/* True if there is no activation left; all that may then be called are this and
 * cairn_stack_ip(). */
bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator);

/* Where the activation goes on: the address of the code behind the call that it waits for. 0 past
 * the end. */
uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator);

/* Its stack pointer there; 0 past the end. */
uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator);

/* What a root is to its object (PrtGcTag). */
enum cairn_root_tag {
  CAIRN_ROOT_DEFAULT, /* the slot holds a reference: to an object, null, or outside the heap */
  CAIRN_ROOT_BASE     /* the slot holds a pointer derived from the reference in `base` */
};

/* Called once per root. `slot` and `base` may be written by a collector only: a derived pointer's
 * distance to its base must be kept. `base` is null for CAIRN_ROOT_DEFAULT. */
typedef void cairn_stack_root(void *env, uintptr_t *slot, enum cairn_root_tag tag, uintptr_t *base);

/* Call back for each root of the activation. */
void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                           void *env);

#pragma GCC visibility pop

#endif
