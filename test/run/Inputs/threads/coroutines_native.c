/* SPDX-License-Identifier: Apache-2.0
 *
 * Native coroutines that any thread may resume, over swapcontext(). What belongs to the thread is
 * asked for anew after each change.
 */
#include <stdlib.h>
#include <ucontext.h>
#include <cairn/stack.h>

enum { BYTES = 64 << 10 };

typedef void coroutine_body(long argument);

struct coroutine {
  struct cairn_stack stack;
  ucontext_t context;
  coroutine_body *body;
  long argument, over;
};

struct thread {
  ucontext_t context; /* where the thread's own stack goes on */
  struct coroutine *current;
};

__attribute__((noinline)) static struct thread *here(void)
{
  static _Thread_local struct thread thread;

  __asm__ volatile("");
  return &thread;
}

static void run(void)
{
  struct coroutine *mine = here()->current;

  mine->body(mine->argument);
  mine->over = 1;
  cairn_stack_switch(NULL);
  setcontext(&here()->context);
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

/* From a thread's own stack. True: it is over. */
int coroutine_resume(void *which)
{
  struct coroutine *coroutine = which;
  struct thread *thread = here();

  thread->current = coroutine;
  cairn_stack_switch(&coroutine->stack);
  swapcontext(&thread->context, &coroutine->context);
  return coroutine->over != 0;
}

void coroutine_yield(void)
{
  struct thread *thread = here();
  struct coroutine *mine = thread->current;

  cairn_stack_switch(NULL);
  swapcontext(&mine->context, &thread->context);
}
