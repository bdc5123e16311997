/* Unwinds from each instruction of an entry's code: entries [late]. A signal handler runs after every instruction, by
 * the processor's trap flag; its backtrace must reach the function that called the entry. A late call meets the code of
 * a function that is gone. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

typedef long number_function(void);

static const char text[] = "define i64 @number() gc \"statepoint-example\" {\n  ret i64 1\n}\n";

/* About an entry, and from the start of its slab. */
enum { THUNK_BEGINS = 48, THUNK_ENDS = 64, HEAD_BYTES = 40, TRAP_FLAG = 0x100 };

static struct cairn_jit *session;
static uintptr_t entry;
static const void *caller; /* the function that calls the entry */
static long in_thunk, in_head, lost;

static long step_native(number_function *function);
static long step_managed(number_function *function);

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *reached)
{
  const void *function = _Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1));

  *(bool *)reached |= function == caller;
  return _URC_NO_REASON;
}

static bool reaches_caller(void)
{
  bool reached = false;

  _Unwind_Backtrace(visit, &reached);
  return reached;
}

/* Slabs begin at pages, and the first one has the entries of the program. */
static bool is_in_head(uintptr_t pc)
{
  uintptr_t head = entry & ~(uintptr_t)4095;

  return pc >= head && pc < head + HEAD_BYTES;
}

/* The steps end behind the entry: the runtime's stubs let handlers wait. */
static void trap(int signal, siginfo_t *info, void *context)
{
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  uintptr_t pc = (uintptr_t)registers[REG_RIP];
  static bool was_in_thunk;
  bool is_in_thunk = pc >= entry - THUNK_BEGINS && pc < entry + THUNK_ENDS;

  (void)signal;
  (void)info;
  if (is_in_thunk || is_in_head(pc)) {
    was_in_thunk = true;
    in_thunk += is_in_thunk;
    in_head += !is_in_thunk;
    if (reaches_caller())
      return;
    lost++;
    fprintf(stderr, "entries: the unwinder is lost at %ld bytes from the entry\n", (long)(pc - entry));
  } else if (was_in_thunk) {
    was_in_thunk = false;
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  }
}

static void show(const char *from)
{
  printf("from %s: %ld in the thunk, %ld in the head, %ld lost\n", from, in_thunk, in_head, lost);
  in_thunk = in_head = 0;
}

/* The end of a program that calls a function that is gone. */
static void end(int signal)
{
  (void)signal;
  show("a late call");
  printf("from the message: %s\n", reaches_caller() ? "reached" : "lost");
  fflush(stdout);
  _exit(0);
}

#define BEGIN_STEPS() __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc")

__attribute__((noinline)) static long step_native(number_function *function)
{
  caller = (const void *)step_native;
  BEGIN_STEPS();
  return function() + 1;
}

cairn_managed_function __attribute__((noinline)) static long step_managed(number_function *function)
{
  caller = (const void *)step_managed;
  BEGIN_STEPS();
  return cairn_managed_callee(function)() + 1;
}

int main(int argc, char **argv)
{
  struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
  uint64_t module;
  void *number;
  char *error = NULL;

  (void)argv;
  check(cairn_jit_new(NULL, &session, &error), error);
  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
  check(cairn_jit_look_up(session, "number", &number, &error), error);
  entry = (uintptr_t)number;
  sigaction(SIGTRAP, &action, NULL);
  signal(SIGABRT, end);
  if (argc > 1) {
    check(cairn_jit_remove(session, module, &error), error);
    cairn_jit_pending(session, NULL, NULL);
    step_managed((number_function *)number);
  }
  long result = step_native((number_function *)number);
  show("native code");
  result += step_managed((number_function *)number);
  show("managed code");
  printf("result: %ld\n", result);
  cairn_jit_dispose(session);
  return 0;
}
