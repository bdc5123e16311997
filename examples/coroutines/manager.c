/* SPDX-License-Identifier: Apache-2.0
 *
 * The rest of in_assembly.S, and what it tells Cairn.
 */
#include <cairn/stack.h>
#include <stdio.h>
#include <stdlib.h>
#include "coroutines.h"

/* Where a waiting activation has its registers, by DWARF number, as words; and its return address. */
#ifdef __aarch64__
enum { PC_WORD = 1, SELF_WORD = 2, WORDS = 20 };
static const struct saved {
  uint8_t reg, word;
} saved_registers[] = {{29, 0}, {19, 2}, {20, 3}, {21, 4},  {22, 5}, {23, 6},
                       {24, 7}, {25, 8}, {26, 9}, {27, 10}, {28, 11}};
#else
enum { PC_WORD = 6, SELF_WORD = 5, WORDS = 7 };
static const struct saved {
  uint8_t reg, word;
} saved_registers[] = {{15, 0}, {14, 1}, {13, 2}, {12, 3}, {6, 4}, {3, 5}};
#endif
enum { BYTES = 64 << 10 };

struct coroutine {
  uintptr_t *waits, *resumer_waits;
  struct coroutine *resumer;
  coroutine_body *body;
  long argument, over;
  struct cairn_stack stack;
};

extern const char coroutine_code[], coroutine_code_end[], coroutine_start[];
struct coroutine *coroutine_current;

/* The activation that waits with its registers at `saved`. */
static void waiting(uintptr_t *saved, struct cairn_stack_state *state)
{
  *state = (struct cairn_stack_state){.pc = saved + PC_WORD, .sp = (uintptr_t)(saved + WORDS)};
  for (size_t i = 0; i < sizeof saved_registers / sizeof *saved_registers; i++)
    state->reg[saved_registers[i].reg] = saved + saved_registers[i].word;
}

static bool suspended(const struct cairn_stack *stack, struct cairn_stack_state *state)
{
  struct coroutine *coroutine = stack->data;

  /* It is over; or it has not begun. */
  if (coroutine->waits == NULL || coroutine->waits[PC_WORD] == (uintptr_t)coroutine_start)
    return false;
  waiting(coroutine->waits, state);
  return true;
}

/* From the oldest frame of a coroutine to who has resumed it, if somebody has. */
static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  const struct coroutine *coroutine = *(struct coroutine **)cairn_stack_sp(iterator);
  struct cairn_stack_state state = {.pc = NULL};

  (void)data;
  if (coroutine->resumer_waits != NULL)
    waiting(coroutine->resumer_waits, &state);
  cairn_stack_set(iterator, &state);
}

static const struct cairn_code_manager manager = {.name = "coroutine", .previous = previous};

void *coroutine_new(coroutine_body *body, long argument)
{
  static bool known;
  struct coroutine *coroutine = calloc(1, sizeof *coroutine);
  uintptr_t low = (uintptr_t)aligned_alloc(16, BYTES), *top = (uintptr_t *)(low + BYTES);

  if (!known && cairn_code_region_add(&manager, (uintptr_t)coroutine_code,
                                      (uintptr_t)coroutine_code_end, NULL) != CAIRN_OK)
    abort();
  known = true;
  *coroutine = (struct coroutine){.body = body,
                                  .argument = argument,
                                  .stack = {low, low + BYTES, suspended, coroutine, {0}}};
  top -= WORDS + WORDS % 2; /* the stack pointer is a multiple of 16 after the return */
  for (int i = 0; i < WORDS; i++)
    top[i] = 0;
  top[PC_WORD] = (uintptr_t)coroutine_start;
  top[SELF_WORD] = (uintptr_t)coroutine; /* in the register of in_assembly.S */
  coroutine->waits = top;
  if (cairn_stack_add(&coroutine->stack))
    abort();
  return coroutine;
}

void coroutine_free(void *which)
{
  struct coroutine *coroutine = which;

  cairn_stack_remove(&coroutine->stack);
  free((void *)coroutine->stack.low);
  free(coroutine);
}

static void check_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  unsigned long *roots = env;

  (void)parameter;
  if (*slot % 8 != 0 && tag == CAIRN_ROOT_DEFAULT)
    abort();
  ++*roots;
}

/* What waits there can be walked from outside, and only that. Returns the activations. */
static unsigned long walk(const struct cairn_stack *stack, const struct cairn_stack_state *from)
{
  struct cairn_stack_iterator it;
  unsigned long activations = 0, roots = 0;
  uintptr_t sp = stack->low;

  cairn_stack_suspended(&it, from, stack->low, stack->high);
  for (; !cairn_stack_past_end(&it); cairn_stack_next(&it), activations++) {
    if (cairn_stack_sp(&it) <= sp || cairn_stack_sp(&it) >= stack->high)
      abort();
    sp = cairn_stack_sp(&it);
    cairn_stack_enumerate(&it, check_root, &roots);
  }
  return activations + (roots == 0);
}

long coroutine_is_over(void *which)
{
  struct coroutine *coroutine = which;
  struct cairn_stack_state state;

  /* Its body at least, and the frame below that. */
  if (suspended(&coroutine->stack, &state) && !coroutine->over &&
      walk(&coroutine->stack, &state) < 2)
    abort();
  return coroutine->over;
}
