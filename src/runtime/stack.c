/* SPDX-License-Identifier: Apache-2.0
 *
 * The public stack iterator, over the walker.
 */
#include <cairn/stack.h>

#include "runtime/roots.h"
#include "runtime/walk.h"

struct iterator {
  struct cn_walk walk;
  bool past_end;
};
_Static_assert(sizeof(struct iterator) <= sizeof(struct cairn_stack_iterator), "<cairn/stack.h>");
_Static_assert(_Alignof(struct iterator) <= _Alignof(uintptr_t), "<cairn/stack.h>");

static struct iterator *inner(struct cairn_stack_iterator *iterator)
{
  return (struct iterator *)iterator->words;
}

static const struct iterator *inner_const(const struct cairn_stack_iterator *iterator)
{
  return (const struct iterator *)iterator->words;
}

void cairn_stack_youngest(struct cairn_stack_iterator *iterator)
{
  struct iterator *it = inner(iterator);
  const struct cairn_mutator *mutator = cn_mutator_get();

  it->past_end = !cn_walk_begin(&it->walk, mutator, mutator->stopped);
}

void cairn_stack_next(struct cairn_stack_iterator *iterator)
{
  struct iterator *it = inner(iterator);

  if (!it->past_end)
    it->past_end = !cn_walk_next(&it->walk);
}

bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator)
{
  return inner_const(iterator)->past_end;
}

uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator)
{
  const struct iterator *it = inner_const(iterator);

  return it->past_end ? 0 : it->walk.frame.pc;
}

uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator)
{
  const struct iterator *it = inner_const(iterator);

  return it->past_end ? 0 : it->walk.frame.sp;
}

struct callback {
  cairn_stack_root *function;
  void *env;
};

static void pass_on(void *env, uintptr_t *slot, uintptr_t *base)
{
  const struct callback *callback = env;

  callback->function(callback->env, slot, base ? CAIRN_ROOT_BASE : CAIRN_ROOT_DEFAULT, base);
}

void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                           void *env)
{
  struct callback both = {callback, env};

  if (!cairn_stack_past_end(iterator))
    cn_roots_of_frame(&inner_const(iterator)->walk, pass_on, &both);
}
