// RUN: clang -O1 -c %S/Inputs/pointer_targets_native.c -o %t.native.o
// RUN: clang -O1 -fPIC -shared -Dnative_add=library_add -Dnative_chosen=library_chosen \
// RUN:   %S/Inputs/pointer_targets_native.c -o %t.native.so
// RUN: %cairn-cc -O2 -fPIC -shared %S/Inputs/pointer_targets_shared.c -o %t.managed.so
// RUN: clang -D_GNU_SOURCE -O1 -I%root/include -I%root/src -c \
// RUN:   %if aarch64 %{%S/Inputs/no_steps.c%} %else %{%S/../../unit/runtime/stubs_signals/stepping.c%} -o %t.stepping.o
// RUN: %cairn-cc -O0 %s %t.native.o %t.stepping.o %t.native.so %t.managed.so -o %t \
// RUN:   && %t %if aarch64 %{quiet%} | FileCheck %s
// RUN: %cairn-cc -O2 %s %t.native.o %t.stepping.o %t.native.so %t.managed.so -o %t && \
// RUN:   %t %if aarch64 %{quiet%} | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t quiet | FileCheck %s
// RUN: %cairn-cc -Os %s %t.native.o %t.stepping.o %t.native.so %t.managed.so -o %t && \
// RUN:   %t %if aarch64 %{quiet%} | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t quiet | FileCheck %s
// RUN: %cairn-cc -O2 -fno-pie -no-pie %s %t.native.o %t.stepping.o \
// RUN:   %t.native.so %t.managed.so -o %t && %t %if aarch64 %{quiet%} | FileCheck %s
// Calls through pointers to whatever a pointer can lead to, and then with a signal between any two
// instructions, whose handler makes such calls itself. What would go wrong: the look at what comes
// before a function reads what is not there; a native function is called without an anchor; the
// interrupted call gets the target of the handler's. (On AArch64, steps need names that libcairn.a hides;
// unit/runtime/stubs_signals has them.)
// CHECK: 10 targets, 0 wrong
// CHECK: 0 wrong with signals
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include "../../unit/runtime/stubs_signals/stepping.h"

typedef long function(long);
extern function native_add, native_chosen, library_add, library_chosen, shared_add;
function *at_page_start(void);
function *at_page_end(void);

static long static_add(long n)
{
  long managed *box = cairn_new(long);

  *box = n + 1;
  return *box;
}

long exported_add(long n)
{
  return n + 1;
}

cairn_unmanaged static long unmanaged_add(long n)
{
  return n + 1;
}

/* No mark: it wants to lie elsewhere. */
__attribute__((aligned(64))) long aligned_add(long n)
{
  return static_add(n);
}

enum { TARGETS = 10 };
static function *volatile targets[TARGETS];
static long managed *kept;
static long wrong;
static volatile long wrong_in_handler, steps;

static void try_all(void)
{
  for (long i = 0; i < TARGETS; i++) {
    long managed *box = kept;
    function *target = targets[i];
    wrong += target(i) != i + 1 || *box != 77;
  }
}

/* In the handler: no allocation, so no collection. */
static function *volatile harmless[] = {native_add, exported_add, unmanaged_add, labs};

static void between(uintptr_t pc)
{
  (void)pc;
  for (int i = 0; i < 4; i++)
    wrong_in_handler += harmless[i](100 + i) != 101 + i - (i == 3);
  steps++;
}

int main(int argc, char **argv)
{
  function *all[TARGETS] = {native_add,  native_chosen, library_add,     library_chosen, shared_add,
                            static_add,  exported_add,  unmanaged_add,   aligned_add,    at_page_start()};

  (void)argv;
  kept = cairn_new(long);
  *kept = 77;
  memcpy((void *)targets, all, sizeof all);
  try_all();
  targets[0] = at_page_end();
  try_all();
  wrong += cairn_managed_callee(targets[6])(5) != 6;
  if ((unsigned long)aligned_add % 64 != 0 || (unsigned long)exported_add % 16 != 8)
    wrong++;
  printf("%d targets, %ld wrong\n", TARGETS, wrong);
  fflush(stdout);
  if (argc == 1) {
    step_begin(between);
    try_all();
    step_end();
    wrong += wrong_in_handler + (steps < 500);
  }
  printf("%ld wrong with signals\n", wrong);
  return 0;
}
