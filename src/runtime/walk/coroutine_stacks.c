/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks that are no thread's, sorted by their addresses. pillar-stack-iterator-2011 has none.
 *
 * The mutator has the anchors and the bounds of the stack that the thread is on.
 * cairn_stack_switch() exchanges them, so that native calls nest on each stack by themselves.
 */
#include "runtime/walk/coroutine_stacks.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/bounds.h"
#include "runtime/core/grow.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/walk/walk.h"

enum {
  ANCHORS = 1 << 10, /* nested transitions on one such stack; untouched ones take no memory */
  SLAB = 64,         /* stacks whose anchors are allocated at once */
};

/* What the mutator has while the thread is on the stack, kept here while it is not. */
struct saved {
  struct cn_anchor *anchors, *anchor, *anchor_limit;
  uintptr_t end, bottom, floor;
  uintptr_t seen; /* by the walk of this collection */
};
_Static_assert(sizeof(struct saved) <= sizeof((struct cairn_stack *)NULL)->words,
               "<cairn/stack.h>");
_Static_assert(_Alignof(struct saved) <= _Alignof(uintptr_t), "it lies in an array of words");

static CN_GROW(struct cairn_stack *) stacks; /* by `low` */
static CN_GROW(struct cn_anchor *) spare;    /* anchors of no stack */
static struct saved own;                     /* the thread's own stack */

static struct saved *saved_of(struct cairn_stack *stack)
{
  return stack != NULL ? (struct saved *)stack->words : &own;
}

/* ---- which stack ---- */

/* How many begin at or below the address. */
static size_t upto(uintptr_t address)
{
  size_t low = 0, high = stacks.count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (stacks.at[middle]->low <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool cn_coroutine_stacks_any(void)
{
  return stacks.count != 0;
}

struct cairn_stack *cn_coroutine_stacks_at(uintptr_t sp)
{
  size_t n = upto(sp);

  return n > 0 && sp < stacks.at[n - 1]->high ? stacks.at[n - 1] : NULL;
}

static bool on_own(const struct cairn_mutator *mutator, uintptr_t address)
{
  uintptr_t bottom = mutator->stack == NULL ? mutator->stack_bottom : own.bottom;
  uintptr_t end = mutator->stack == NULL ? mutator->stack_end : own.end;

  return address >= bottom && address < end;
}

bool cn_coroutine_stacks_elsewhere(const struct cairn_mutator *mutator, uintptr_t sp)
{
  const struct cairn_stack *there = cn_coroutine_stacks_at(sp);

  return stacks.count != 0 && there != mutator->stack && (there != NULL || on_own(mutator, sp));
}

bool cn_coroutine_stacks_hold(uintptr_t address)
{
  return stacks.count != 0 &&
         (cn_coroutine_stacks_at(address) != NULL || on_own(cn_mutator_main(), address));
}

struct cn_stack_view cn_coroutine_stacks_view(const struct cairn_mutator *mutator,
                                              const struct cairn_stack *stack)
{
  const struct saved *saved = stack != NULL ? (const struct saved *)stack->words : &own;

  CN_ASSERT(mutator->stack == stack || saved->anchors != NULL); /* it was added, or left */
  if (mutator->stack == stack)
    return (struct cn_stack_view){mutator->anchors, mutator->anchor, mutator->stack_end};
  return (struct cn_stack_view){saved->anchors, saved->anchor, saved->end};
}

/* ---- validity ---- */

static const char *anchors_wrong(const struct cn_anchor *first, const struct cn_anchor *next,
                                 const struct cn_anchor *limit)
{
  return first <= next && next <= limit ? NULL
                                        : "stacks: the anchors of one are not within their bounds";
}

static const char *stack_wrong(const struct cairn_mutator *mutator, struct cairn_stack *stack)
{
  const struct saved *saved = saved_of(stack);
  bool on = mutator->stack == stack;
  const struct cn_anchor *first = on ? mutator->anchors : saved->anchors;
  const struct cn_anchor *limit = on ? mutator->anchor_limit : saved->anchor_limit;
  uintptr_t bottom = on ? mutator->stack_bottom : saved->bottom;
  uintptr_t end = on ? mutator->stack_end : saved->end;

  if (stack->low >= stack->high || bottom != stack->low || end != stack->high)
    return "stacks: the bounds of one are not its own";
  if (first == NULL || limit != first + ANCHORS)
    return "stacks: one has no anchors of its own";
  return anchors_wrong(first, on ? mutator->anchor : saved->anchor, limit);
}

const char *cn_coroutine_stacks_wrong(void)
{
  const struct cairn_mutator *mutator = cn_mutator_main();
  const char *wrong = NULL;
  bool known = mutator->stack == NULL;

  for (size_t i = 1; i < stacks.count; i++)
    if (stacks.at[i - 1]->high > stacks.at[i]->low)
      return "stacks: two overlap, or are not sorted";
  for (size_t i = 0; i < stacks.count && wrong == NULL; i++) {
    wrong = stack_wrong(mutator, stacks.at[i]);
    known |= mutator->stack == stacks.at[i];
  }
  if (wrong == NULL && !known)
    wrong = "stacks: the thread is on one that was not added";
  if (wrong == NULL && mutator->stack != NULL)
    wrong = anchors_wrong(own.anchors, own.anchor, own.anchor_limit);
  return wrong;
}

/* ---- what a program does ---- */

static struct cairn_mutator *mutator_now(const char *what)
{
  struct cairn_mutator *mutator = cn_mutator_get();

  if (mutator->stopped != NULL)
    cairn_fatal("%s() was called during a collection", what);
  return mutator;
}

static bool take_anchors(struct saved *saved)
{
  if (spare.count == 0) {
    struct cn_anchor *slab = cn_os_resize(NULL, 0, SLAB * ANCHORS * sizeof *slab);
    if (slab == NULL)
      return false;
    for (int i = SLAB; i-- > 0;)
      cn_grow_push(&spare, slab + (ptrdiff_t)i * ANCHORS);
  }
  saved->anchors = saved->anchor = spare.at[--spare.count];
  saved->anchor_limit = saved->anchors + ANCHORS;
  return true;
}

enum cairn_status cairn_stack_add(struct cairn_stack *stack)
{
  struct saved *saved = saved_of(stack);

  mutator_now(__func__);
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  if (stack->low >= stack->high || stack->high % sizeof stack->high != 0)
    return CAIRN_E_BOUNDS;
  size_t n = upto(stack->high - 1);
  if (n > 0 && stacks.at[n - 1]->high > stack->low)
    return CAIRN_E_OVERLAP;
  *saved = (struct saved){
      .end = stack->high, .bottom = stack->low, .floor = cn_bounds_floor(stack->low, stack->high)};
  if (!take_anchors(saved))
    return CAIRN_E_MEMORY;
  cn_grow_push(&stacks, stack);
  memmove(&stacks.at[n + 1], &stacks.at[n], (stacks.count - 1 - n) * sizeof *stacks.at);
  stacks.at[n] = stack;
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  return CAIRN_OK;
}

void cairn_stack_remove(struct cairn_stack *stack)
{
  size_t n = upto(stack->low);

  if (mutator_now(__func__)->stack == stack)
    cairn_fatal("cairn_stack_remove() of the stack that the thread is on");
  if (n == 0 || stacks.at[n - 1] != stack)
    cairn_fatal("cairn_stack_remove() of a stack that was not added");
  CN_CHECK(saved_of(stack)->anchors != NULL);
  cn_grow_push(&spare, saved_of(stack)->anchors);
  memmove(&stacks.at[n - 1], &stacks.at[n], (stacks.count - n) * sizeof *stacks.at);
  stacks.count--;
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
}

/* Refuse a call by way of a stub, which would put an anchor of the stack that the thread leaves
 * among the other's. */
static void refuse_transition(const void *pc)
{
  if (cn_arch_is_stub((uintptr_t)pc))
    cairn_fatal("cairn_stack_switch() was called by compiled code: only the code that switches "
                "may");
}

void cairn_stack_switch(struct cairn_stack *stack)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  struct saved *from = saved_of(mutator->stack), *to = saved_of(stack);

  if (stack == mutator->stack)
    return;
  refuse_transition(__builtin_return_address(0));
  if (!mutator->attached || mutator->stopped != NULL)
    cairn_fatal("cairn_stack_switch() was called by a thread without managed code, or during a "
                "collection");
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  *from = (struct saved){mutator->anchors,
                         mutator->anchor,
                         mutator->anchor_limit,
                         mutator->stack_end,
                         mutator->stack_bottom,
                         mutator->stack_floor,
                         0};
  mutator->anchors = to->anchors;
  mutator->anchor = to->anchor;
  mutator->anchor_limit = to->anchor_limit;
  mutator->stack_end = to->end;
  mutator->stack_bottom = to->bottom;
  mutator->stack_floor = to->floor;
  mutator->stack = stack;
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  cn_poll_word_arm_limit(mutator);
}

/* ---- collections ---- */

_Noreturn static void not_told(const struct cairn_stack *stack)
{
  if (stack == NULL)
    cairn_fatal("the thread is on its own stack, and cairn_stack_switch() was not told");
  cairn_fatal("code ran on the stack [0x%lx, 0x%lx), and cairn_stack_switch() was not told",
              (unsigned long)stack->low, (unsigned long)stack->high);
}

static void check_anchors(const struct cairn_mutator *mutator, const struct cairn_stack *stack)
{
  const struct cn_stack_view view = cn_coroutine_stacks_view(mutator, stack);

  for (const struct cn_anchor *anchor = view.anchors; anchor < view.anchor; anchor++) {
    const struct cairn_stack *its = cn_coroutine_stacks_at(cn_anchor_sp(anchor) - 1);
    if (its != stack && (its != NULL || on_own(mutator, cn_anchor_sp(anchor))))
      not_told(its);
  }
}

void cn_coroutine_stacks_begin(uintptr_t sp)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  CN_ASSERT(mutator->stopped != NULL);
  own.seen = 0;
  if (stacks.count == 0)
    return;
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  if (cn_coroutine_stacks_elsewhere(mutator, sp))
    not_told(cn_coroutine_stacks_at(sp));
  check_anchors(mutator, NULL);
  for (size_t i = 0; i < stacks.count; i++) {
    saved_of(stacks.at[i])->seen = 0;
    check_anchors(mutator, stacks.at[i]);
  }
  cn_coroutine_stacks_seen(mutator->stack);
}

void cn_coroutine_stacks_seen(struct cairn_stack *stack)
{
  CN_ASSERT(cairn_mutator.stopped != NULL);
  saved_of(stack)->seen = 1;
}

size_t cn_coroutine_stacks_count(void)
{
  return stacks.count + 1;
}

bool cn_coroutine_stacks_walk(size_t number, struct cn_walk *walk)
{
  CN_ASSERT(number <= stacks.count && cairn_mutator.stopped != NULL);
  struct cairn_stack *stack = number < stacks.count ? stacks.at[number] : NULL;
  struct cairn_stack_state state = {.pc = NULL};

  if (stacks.count == 0 || saved_of(stack)->seen)
    return false;
  if (stack == NULL || stack->suspended == NULL)
    return cn_walk_other(walk, &cairn_mutator, stack, NULL);
  return stack->suspended(stack, &state) && cn_walk_other(walk, &cairn_mutator, stack, &state);
}
