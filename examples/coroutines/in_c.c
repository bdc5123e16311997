/* SPDX-License-Identifier: Apache-2.0
 *
 * Native coroutines: who resumes or yields leaves managed code by a transition, so that the runtime
 * knows where each stack goes on.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include "coroutines.h"

#ifdef CAIRN_PLAIN
struct cairn_stack {
  unsigned long low, high;
};
#define cairn_stack_add(stack) ((void)(stack), 0)
#define cairn_stack_remove(stack) ((void)(stack))
#define cairn_stack_switch(stack) ((void)(stack))
#else
#include <cairn/stack.h>
#endif

enum { BYTES = 64 << 10 };

struct coroutine {
  struct cairn_stack stack;
  ucontext_t context;
  jmp_buf back;
  int begun;
  struct coroutine *resumer;
  coroutine_body *body;
  long argument, over;
};

static struct coroutine own, *current = &own;

static struct cairn_stack *stack_of(struct coroutine *coroutine)
{
  return coroutine == &own ? NULL : &coroutine->stack;
}

/* By a jump where there is one to jump to, as some libraries do it, or always by contexts. */
static void change(struct coroutine *to)
{
  struct coroutine *from = current;

  current = to;
  cairn_stack_switch(stack_of(to));
#ifdef JUMPS
  if (_setjmp(from->back))
    return;
  from->begun = 1;
  if (to->begun)
    _longjmp(to->back, 1);
#endif
  swapcontext(&from->context, &to->context);
}

static void run(void)
{
  current->body(current->argument);
  current->over = 1;
  change(current->resumer);
}

void *coroutine_new(coroutine_body *body, long argument)
{
  struct coroutine *coroutine = calloc(1, sizeof *coroutine);

  coroutine->body = body;
  coroutine->argument = argument;
  coroutine->stack.low = (unsigned long)malloc(BYTES);
  coroutine->stack.high = coroutine->stack.low + BYTES;
  getcontext(&coroutine->context);
  coroutine->context.uc_stack.ss_sp = (void *)coroutine->stack.low;
  coroutine->context.uc_stack.ss_size = BYTES;
  makecontext(&coroutine->context, run, 0);
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

long coroutine_is_over(void *coroutine)
{
  return ((struct coroutine *)coroutine)->over;
}

void coroutine_resume(void *which)
{
  struct coroutine *coroutine = which;

  coroutine->resumer = current;
  change(coroutine);
}

void coroutine_yield(void)
{
  change(current->resumer);
}
