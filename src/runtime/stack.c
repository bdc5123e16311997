/* SPDX-License-Identifier: Apache-2.0
 *
 * The public stack iterator, over the walker (seeds: pillar-stack-iterator).
 */
#include <cairn/stack.h>

#include "runtime/roots.h"
#include "runtime/walk.h"

static struct cn_walk *inner(struct cairn_stack_iterator *iterator)
{
  return (struct cn_walk *)iterator;
}

static const struct cn_walk *inner_const(const struct cairn_stack_iterator *iterator)
{
  return (const struct cn_walk *)iterator;
}

/* A thread that never ran managed code has no activations. */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  if (mutator->attached)
    cn_walk_begin(inner(iterator), mutator, mutator->stopped);
  else
    *inner(iterator) = (struct cn_walk){.past_end = true};
}

bool cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread)
{
  const struct cairn_mutator *mutator = cn_mutator_main();

  if (mutator == NULL || mutator->thread != thread || mutator->stopped == NULL)
    return false;
  cn_walk_begin(inner(iterator), mutator, mutator->stopped);
  return true;
}

void cairn_stack_suspended(struct cairn_stack_iterator *iterator,
                           const struct cairn_stack_state *state, uintptr_t low, uintptr_t high)
{
  (void)low;
  cn_walk_suspended(inner(iterator), state, high);
}

void cairn_stack_next(struct cairn_stack_iterator *iterator)
{
  struct cn_walk *walk = inner(iterator);

  walk->virtual_frame = 0;
  if (!walk->past_end)
    cn_walk_next(walk);
}

bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator)
{
  return inner_const(iterator)->past_end;
}

uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator)
{
  const struct cn_walk *walk = inner_const(iterator);

  return walk->past_end ? 0 : walk->frame.pc;
}

uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator)
{
  const struct cn_walk *walk = inner_const(iterator);

  return walk->past_end ? 0 : walk->frame.sp;
}

void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state)
{
  const struct cn_walk *walk = inner_const(iterator);
  const struct cn_frame *frame = &walk->frame;

  *state = (struct cairn_stack_state){0};
  if (walk->past_end)
    return;
  state->pc = frame->pc_slot;
  state->sp = frame->sp;
  state->virtual_frame = walk->virtual_frame;
  for (unsigned i = 0; i < CN_ARCH_REGISTERS; i++)
    state->reg[i] = cn_frame_register(frame, i);
}

void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state)
{
  cn_walk_set(inner(iterator), state);
}

void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                           void *env)
{
  const struct cn_walk *walk = inner_const(iterator);

  if (!walk->past_end && walk->virtual_frame == 0)
    cn_roots_of_frame(walk, callback, env);
}
