/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the public stack iterator over the walker (pillar-stack-iterator-2011): steps, registers, roots, spans and
 * descriptions of frames. Runs on any thread, in any phase, for a stack that does not run or for the caller's own
 * stack. The iterator has all state. During a callback of a region's manager the thread counts as a reader of
 * code_regions.c.
 */
#include <cairn/stack.h>

#include <stdio.h>
#include "base/check.h"
#include "runtime/debug/backtrace.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/stack/managers.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/walk.h"

_Static_assert(CAIRN_STACK_REGISTERS == CN_ARCH_REGISTER_COUNT, "<cairn/stack.h>");
_Static_assert(_Alignof(struct cn_walk) <= _Alignof(struct cairn_stack_iterator), "<cairn/stack.h>");

static struct cn_walk *walk_of(struct cairn_stack_iterator *iterator)
{
  return (struct cn_walk *)iterator;
}

static const struct cn_walk *const_walk_of(const struct cairn_stack_iterator *iterator)
{
  return (const struct cn_walk *)iterator;
}

/* Called before and after a callback of a manager. Only regions can be removed, so the calls protect only regions. */
static void enter_frame_region(const struct cn_walk *walk)
{
  CN_ASSERT(!walk->past_end);
  if (walk->frame.map == NULL)
    cn_code_regions_enter_region(&walk->frame.region);
}

static void leave_frame_region(const struct cn_walk *walk)
{
  if (walk->frame.map == NULL)
    cn_code_regions_leave_region();
}

/* The activations of a thread begin with its first managed code. */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  if (mutator->attached)
    cn_walk_begin(walk_of(iterator), mutator, mutator->stopped);
  else
    *walk_of(iterator) = (struct cn_walk){.past_end = true};
}

enum cairn_status cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread)
{
  bool stopped;
  const struct cairn_mutator *mutator = cn_stop_find_mutator(thread, &stopped);

  if (mutator == NULL)
    return CAIRN_E_UNKNOWN;
  if (!stopped && (mutator != &cairn_mutator || mutator->stopped == NULL))
    return CAIRN_E_BUSY;
  cn_walk_begin(walk_of(iterator), mutator, mutator->stopped);
  return CAIRN_OK;
}

void cairn_stack_suspended(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state, uintptr_t low,
                           uintptr_t high)
{
  struct cn_walk *walk = walk_of(iterator);
  struct cairn_stack *stack = cn_coroutine_stacks_at(low);

  if (stack != NULL && stack->high == high)
    cn_walk_begin_on_stack(walk, cairn_mutator.attached ? &cairn_mutator : cn_mutator_of_main_thread(), stack, state);
  else
    cn_walk_begin_suspended(walk, state, high);
}

/* Each step calls the activation's manager. */
void cairn_stack_next(struct cairn_stack_iterator *iterator)
{
  struct cn_walk *walk = walk_of(iterator);

  if (!walk->past_end)
    cn_walk_next(walk);
}

/* The manager of a region may show inlined functions as separate activations. */
void cairn_stack_next_virtual(struct cairn_stack_iterator *iterator)
{
  struct cn_walk *walk = walk_of(iterator);
  struct cn_source_place source;
  uint32_t depths;

  if (!walk->past_end && walk->frame.map != NULL &&
      cn_safepoint_find_source(walk->frame.pc, walk->virtual_frame + 1, &source, &depths))
    walk->virtual_frame++;
  else
    cairn_stack_next(iterator);
}

bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator)
{
  return const_walk_of(iterator)->past_end;
}

uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator)
{
  const struct cn_walk *walk = const_walk_of(iterator);

  return walk->past_end ? 0 : walk->frame.pc;
}

uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator)
{
  const struct cn_walk *walk = const_walk_of(iterator);

  return walk->past_end ? 0 : walk->frame.sp;
}

void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  const struct cn_frame *frame = &walk->frame;

  if (walk->past_end) {
    *state = (struct cairn_stack_state){0};
    return;
  }
  state->pc = frame->pc_slot;
  state->sp = frame->sp;
  state->virtual_frame = walk->virtual_frame;
  cn_arch_fill_places_by_number(frame->place, state->reg);
  if (frame->regs != NULL)
    for (unsigned i = 0; i < CN_ARCH_REGISTER_COUNT; i++)
      state->reg[i] = cn_frame_register_place(frame, i);
}

void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state)
{
  cn_walk_set_state(walk_of(iterator), state);
}

int cairn_stack_describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  void *data;

  if (walk->past_end)
    return snprintf(buffer, size, "past the end");
  const struct cairn_code_manager *manager = cn_manager_of(walk, &data);
  if (manager->describe == NULL)
    return snprintf(buffer, size, "%s", manager->name != NULL ? manager->name : "code region");
  enter_frame_region(walk);
  int length = manager->describe(iterator, buffer, size, data);
  leave_frame_region(walk);
  return length;
}

void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  void *data;

  if (walk->past_end || walk->virtual_frame != 0)
    return;
  if (walk->frame.map != NULL) { /* as cn_compiled_code_manager does */
    cn_frame_roots_visit_all(walk, callback, env);
    return;
  }
  const struct cairn_code_manager *manager = cn_manager_of(walk, &data);
  if (manager->enumerate == NULL)
    return;
  enter_frame_region(walk);
  manager->enumerate(iterator, callback, env, data);
  leave_frame_region(walk);
}

bool cairn_stack_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  void *data;

  if (walk->past_end)
    return false;
  const struct cairn_code_manager *manager = cn_manager_of(walk, &data);
  if (manager->span == NULL)
    return false;
  enter_frame_region(walk);
  bool found = manager->span(iterator, key, value, data);
  leave_frame_region(walk);
  return found;
}
