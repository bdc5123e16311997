/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns a table of the stacks of coroutines, sorted by address, and its mutex. Adds and removes stacks, switches stacks,
 * finds the stack of an address, and claims stacks for the walks of a collection; pillar-stack-iterator-2011 has no
 * such stacks.
 *
 * The mutator has the anchors and the bounds of the stack that the thread runs on. cairn_stack_switch() exchanges them,
 * so that native calls nest separately on each stack. One thread may leave a stack, and another thread may continue on
 * it, unless compiled code keeps the address of thread-locals. Managed mutators change the table in phase MUTATE, in a
 * slow path and under `stack_table_lock`. Look-ups by address take this lock in any phase; other reads of the table in
 * phase STOP take no lock. Claims are atomic words of the stacks.
 */
#include "runtime/walk/coroutine_stacks.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anchors.h"
#include "runtime/core/bounds.h"
#include "runtime/core/messages.h"
#include "runtime/core/grow.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/lock.h"
#include "runtime/core/poll_word.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/return_barriers.h"
#include "runtime/walk/walk.h"

/* The word of a stack with the mutator that left it last, behind the saved state; 0: none did. */
enum { LEAVER_WORD = sizeof(struct cn_saved_stack) / sizeof(uintptr_t) };
_Static_assert((LEAVER_WORD + 1) * sizeof(uintptr_t) <= sizeof((struct cairn_stack *)NULL)->words, "<cairn/stack.h>");
_Static_assert(_Alignof(struct cn_saved_stack) <= _Alignof(uintptr_t), "it lies in an array of words");

static struct cn_mutex stack_table_lock;
static CN_GROW(struct cairn_stack *) stacks; /* by `low` */

/* The saved state of the stack; null is the mutator's own stack. */
static struct cn_saved_stack *saved_state_of(struct cairn_mutator *mutator, struct cairn_stack *stack)
{
  return stack != NULL ? (struct cn_saved_stack *)stack->words : &mutator->own;
}

struct cn_return_barriers **cn_coroutine_stacks_barriers_of(const struct cairn_mutator *mutator,
                                                            struct cairn_stack *stack)
{
  return &saved_state_of((struct cairn_mutator *)mutator, stack)->barriers;
}

/* ---- which stack ---- */

/* The number of stacks that begin at or below the address. */
static size_t count_stacks_up_to(uintptr_t address)
{
  size_t low = 0;

  CN_BISECT(low, stacks.count, middle, stacks.at[middle]->low <= address);
  return low;
}

bool cn_walks_may_cross_stacks(void)
{
  return cn_coroutine_stacks_exist() && cn_code_regions_exist();
}

bool cn_coroutine_stacks_exist(void)
{
  return __atomic_load_n(&stacks.count, __ATOMIC_RELAXED) != 0;
}

void cn_coroutine_stacks_reset_in_child(void)
{
  atomic_store(&stack_table_lock.word, 0);
}

/* Defers signals, so that no handler of this thread waits for the lock. */
struct cairn_stack *cn_coroutine_stacks_at(uintptr_t sp)
{
  if (!cn_coroutine_stacks_exist())
    return NULL;
  cn_defer_signals();
  cn_mutex_take(&stack_table_lock, UINT64_MAX);
  size_t n = count_stacks_up_to(sp);
  struct cairn_stack *there = n > 0 && sp < stacks.at[n - 1]->high ? stacks.at[n - 1] : NULL;
  cn_mutex_release(&stack_table_lock);
  cn_undefer_signals();
  return there;
}

static bool is_on_own_stack(const struct cairn_mutator *mutator, uintptr_t address)
{
  uintptr_t bottom = mutator->stack == NULL ? mutator->stack_bottom : mutator->own.bottom;
  uintptr_t end = mutator->stack == NULL ? mutator->stack_end : mutator->own.end;

  return address >= bottom && address < end;
}

bool cn_coroutine_stacks_is_on_other(const struct cairn_mutator *mutator, uintptr_t sp)
{
  const struct cairn_stack *there = cn_coroutine_stacks_at(sp);

  return cn_coroutine_stacks_exist() && there != mutator->stack && (there != NULL || is_on_own_stack(mutator, sp));
}

bool cn_coroutine_stacks_have_address(uintptr_t address)
{
  return cn_coroutine_stacks_exist() &&
         (cn_coroutine_stacks_at(address) != NULL || is_on_own_stack(&cairn_mutator, address));
}

static const struct cairn_mutator *runner_of(const struct cairn_mutator *mutator, const struct cairn_stack *stack)
{
  if (stack != NULL)
    return ((const struct cn_saved_stack *)stack->words)->runner;
  return mutator->stack == NULL ? mutator : NULL;
}

bool cn_coroutine_stacks_is_waiting(const struct cairn_mutator *mutator, const struct cairn_stack *stack)
{
  return runner_of(mutator, stack) == NULL;
}

struct cn_stack_view cn_coroutine_stacks_view_of(const struct cairn_mutator *mutator, const struct cairn_stack *stack)
{
  const struct cairn_mutator *on = runner_of(mutator, stack);
  const struct cn_saved_stack *saved = stack != NULL ? (const struct cn_saved_stack *)stack->words : &mutator->own;

  CN_ASSERT(on || saved->anchors != NULL); /* the stack was added, or a thread has left it */
  if (on)
    return (struct cn_stack_view){on->anchor, on->stack_end};
  return (struct cn_stack_view){saved->anchor, saved->end};
}

const struct cairn_mutator *cn_coroutine_stacks_owner_of(const struct cairn_mutator *mutator, uintptr_t sp)
{
  if (mutator == &cairn_mutator && mutator->stopped == NULL)
    return mutator; /* a thread may walk its own stack outside stops */
  if (is_on_own_stack(mutator, sp))
    return mutator;
  for (const struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m))
    if (is_on_own_stack(m, sp))
      return m;
  return mutator;
}

/* ---- validity ---- */

/* Skips stacks that other threads run on, because they change concurrently outside stops. */
static const char *stack_wrong(const struct cairn_mutator *mutator, struct cairn_stack *stack)
{
  const struct cn_saved_stack *saved = (const struct cn_saved_stack *)stack->words;
  bool on = saved->runner != NULL;
  uintptr_t bottom = on ? mutator->stack_bottom : saved->bottom;
  uintptr_t end = on ? mutator->stack_end : saved->end;

  if (on && saved->runner != mutator)
    return NULL;
  if (on != (mutator->stack == stack))
    return "stacks: one is not where its thread says";

  if (stack->low >= stack->high || bottom != stack->low || end != stack->high)
    return "stacks: the bounds of one are not its own";
  return on ? cn_anchors_wrong(mutator->anchors, mutator->anchor) : cn_anchors_wrong(saved->anchors, saved->anchor);
}

const char *cn_coroutine_stacks_wrong(void)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
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
    wrong = cn_anchors_wrong(mutator->own.anchors, mutator->own.anchor);
  return wrong;
}

/* ---- calls of the program ---- */

static struct cairn_mutator *mutator_outside_collection(const char *what, uintptr_t pc)
{
  struct cairn_mutator *mutator = cn_mutator_get_attached(pc);

  if (mutator->stopped != NULL)
    cn_report_fatal(pc, "%s() was called during a collection", what);
  return mutator;
}

/* Exclude collections and changes by other threads, which must find the table whole. */
static bool begin_table_change(struct cairn_mutator *mutator)
{
  bool native = mutator->state == CAIRN_ABI_NATIVE;

  cn_slow_path_enter(mutator, native);
  cn_mutex_take(&stack_table_lock, UINT64_MAX);
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  return native;
}

static void end_table_change(struct cairn_mutator *mutator, bool native)
{
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  cn_mutex_release(&stack_table_lock);
  cn_slow_path_leave(mutator, native);
}

static enum cairn_status add_stack(struct cairn_stack *stack)
{
  struct cn_saved_stack *saved = (struct cn_saved_stack *)stack->words;
  size_t n = count_stacks_up_to(stack->high - 1);

  if (n > 0 && stacks.at[n - 1]->high > stack->low)
    return CAIRN_E_OVERLAP;
  stack->words[LEAVER_WORD] = 0;
  *saved = (struct cn_saved_stack){
      .end = stack->high, .bottom = stack->low, .floor = cn_bounds_stack_floor(stack->low, stack->high)};
  if ((saved->anchors = saved->anchor = cn_anchors_allocate()) == NULL)
    return CAIRN_E_MEMORY;
  cn_grow_push(&stacks, stack);
  memmove(&stacks.at[n + 1], &stacks.at[n], (stacks.count - 1 - n) * sizeof *stacks.at);
  stacks.at[n] = stack;
  return CAIRN_OK;
}

enum cairn_status cairn_stack_add(struct cairn_stack *stack)
{
  struct cairn_mutator *mutator = mutator_outside_collection(__func__, (uintptr_t)__builtin_return_address(0));

  if (stack->low >= stack->high || stack->high % sizeof stack->high != 0)
    return CAIRN_E_BOUNDS;
  bool native = begin_table_change(mutator);
  enum cairn_status status = add_stack(stack);
  end_table_change(mutator, native);
  return status;
}

void cairn_stack_remove(struct cairn_stack *stack)
{
  struct cairn_mutator *mutator = mutator_outside_collection(__func__, (uintptr_t)__builtin_return_address(0));
  struct cn_saved_stack *saved = (struct cn_saved_stack *)stack->words;
  bool native = begin_table_change(mutator);
  size_t n = count_stacks_up_to(stack->low);

  if (n == 0 || stacks.at[n - 1] != stack)
    cairn_fatal("cairn_stack_remove() of a stack that was not added");
  if (saved->runner != NULL)
    cairn_fatal("cairn_stack_remove() of the stack that %s thread is on", saved->runner == mutator ? "the" : "another");
  CN_CHECK(saved->anchors != NULL);
  cn_anchors_return_chunks(saved->anchors);
  cn_return_barriers_return_set(saved->barriers);
  saved->barriers = NULL;
  memmove(&stacks.at[n - 1], &stacks.at[n], (stacks.count - n) * sizeof *stacks.at);
  stacks.count--;
  end_table_change(mutator, native);
}

/* Refuse a call through a stub, because the stub would put an anchor of the old stack among the anchors of the new
 * stack. */
static void refuse_call_by_stub(const void *pc)
{
  if (cn_arch_is_stub_or_thunk((uintptr_t)pc))
    cairn_fatal("cairn_stack_switch() was called by compiled code: only the code that switches "
                "may");
}

static void switch_stack(struct cairn_mutator *mutator, struct cairn_stack *stack)
{
  struct cn_saved_stack *from = saved_state_of(mutator, mutator->stack), *to = saved_state_of(mutator, stack);

  if (stack != NULL && to->runner != NULL)
    cairn_fatal("thread %d: cairn_stack_switch() to a stack that thread %d is on", mutator->thread, to->runner->thread);
  if (CN_ARCH_KEEPS_THREAD_POINTER && stack != NULL && stack->words[LEAVER_WORD] != 0 &&
      stack->words[LEAVER_WORD] != (uintptr_t)mutator)
    cairn_fatal(
        "thread %d: cairn_stack_switch() to a stack that another thread has left: on this machine compiled code "
        "keeps the address of its thread's state over calls",
        mutator->thread);
  if (mutator->stack != NULL)
    mutator->stack->words[LEAVER_WORD] = (uintptr_t)mutator;
  *from = (struct cn_saved_stack){.barriers = from->barriers,
                                  .anchors = mutator->anchors,
                                  .anchor = mutator->anchor,
                                  .end = mutator->stack_end,
                                  .bottom = mutator->stack_bottom,
                                  .floor = mutator->stack_floor};
  mutator->anchors = to->anchors;
  mutator->anchor = to->anchor;
  mutator->stack_end = to->end;
  mutator->stack_bottom = to->bottom;
  mutator->stack_floor = to->floor;
  mutator->stack = stack;
  if (stack != NULL)
    to->runner = mutator;
  cn_poll_word_set_stack_limit(mutator);
}

void cairn_stack_switch(struct cairn_stack *stack)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  bool native = mutator->state == CAIRN_ABI_NATIVE;

  if (stack == mutator->stack)
    return;
  refuse_call_by_stub(__builtin_return_address(0));
  if (!mutator->attached || mutator->stopped != NULL)
    cairn_fatal("cairn_stack_switch() was called by a thread without managed code, or during a "
                "collection");
  cn_slow_path_enter(mutator, native);
  switch_stack(mutator, stack);
  cn_slow_path_leave(mutator, native);
}

/* ---- collections ---- */

_Noreturn static void report_untold_switch(const struct cairn_stack *stack)
{
  if (stack == NULL)
    cairn_fatal("the thread is on its own stack, and cairn_stack_switch() was not told");
  cairn_fatal("code ran on the stack [0x%lx, 0x%lx), and cairn_stack_switch() was not told", (unsigned long)stack->low,
              (unsigned long)stack->high);
}

static void check_stack_anchors(const struct cairn_mutator *mutator, const struct cairn_stack *stack)
{
  const struct cn_stack_view view = cn_coroutine_stacks_view_of(mutator, stack);

  for (const struct cn_anchor *anchor = view.anchor; (anchor = cn_anchors_youngest(anchor)) != NULL;) {
    const struct cairn_stack *its = cn_coroutine_stacks_at(cn_anchor_sp(anchor) - 1);
    if (its != stack && (its != NULL || is_on_own_stack(mutator, cn_anchor_sp(anchor))))
      report_untold_switch(its);
  }
}

/* Clears the claim of the mutator's own stack, and checks that the thread is on the stack of the last switch. A thread
 * in native code is checked only by its anchors. */
static void reset_own_stack_claim(struct cairn_mutator *mutator)
{
  mutator->own.seen = 0;
  if (mutator->stopped != NULL) {
    uintptr_t sp = cn_arch_sp_after(mutator->stopped);
    if (cn_coroutine_stacks_is_on_other(mutator, sp))
      report_untold_switch(cn_coroutine_stacks_at(sp));
  }
  check_stack_anchors(mutator, NULL);
}

void cn_coroutine_stacks_begin_claims(void)
{
  if (stacks.count == 0)
    return;
  CN_ASSERT_VALID(cn_coroutine_stacks_wrong());
  for (size_t i = 0; i < stacks.count; i++) {
    struct cn_saved_stack *saved = (struct cn_saved_stack *)stacks.at[i]->words;
    saved->seen = 0;
    check_stack_anchors(saved->runner ? saved->runner : &cairn_mutator, stacks.at[i]);
  }
  for (struct cairn_mutator *m = cairn_mutator_next(NULL); m; m = cairn_mutator_next(m)) {
    reset_own_stack_claim(m);
    cn_coroutine_stacks_claim_stack(m, m->stack, (uintptr_t)m);
  }
}

bool cn_coroutine_stacks_claim_stack(const struct cairn_mutator *mutator, struct cairn_stack *stack, uintptr_t name)
{
  uintptr_t *seen = &saved_state_of((struct cairn_mutator *)mutator, stack)->seen, none = 0;

  CN_ASSERT(name != 0);
  return __atomic_compare_exchange_n(seen, &none, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || none == name;
}

struct cairn_stack *cn_coroutine_stacks_by_number(size_t number)
{
  return number < stacks.count ? stacks.at[number] : NULL;
}
