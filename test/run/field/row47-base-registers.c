/* Row 47: slots are not always relative to the stack pointer. With a dynamic alloca the base is RBP, with an
 * over-aligned local beside it RBX, and LLVM gives no stack size; on AArch64 the base is X29. A decoder that knows
 * one of them loses roots. */
// RUN: %cairn-cc -O0 -S %s -o %t.s && clang -c %t.s -o %t.o
// RUN: %cairn stackmap %t.o | FileCheck --check-prefix=LLVM %s
// LLVM: function dynamic: stack size unknown
// LLVM: deopt {{rbp|x29}} -
// LLVM: function both: stack size unknown
// LLVM: deopt {{rbx|x29}}
// RUN: %cairn-cc -c %t.s -o %t.frames.o && %cairn frames %t.frames.o | FileCheck --check-prefix=OURS %s
// OURS: function dynamic:
// OURS: cfa {{rbp|x29}} + {{[0-9]+}}
// OURS: {{root|area}} [{{rbp|x29}} {{[-+]}} {{[0-9]+}}]
// OURS: function both:
// OURS: cfa {{rbp|x29}} + {{[0-9]+}}
// OURS: {{root|area}} [{{rbx|x29}} + {{[0-9]+}}]
// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" %s
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

__attribute__((noinline)) static void touch(ref *local)
{
  ref b = cairn_new(struct box);

  b->value = (*local)->value + 1;
  b->other = *local;
  *local = b;
}

__attribute__((noinline)) static long dynamic(ref r, long n)
{
  volatile char *bytes = __builtin_alloca((unsigned long)n);
  ref local = r;

  bytes[0] = (char)n;
  touch(&local);
  touch(&local);
  return local->value + r->value + bytes[0];
}

__attribute__((noinline)) static long both(ref r, long n)
{
  _Alignas(128) volatile long values[4] = {n};
  volatile char *bytes = __builtin_alloca((unsigned long)n);
  ref local = r;

  bytes[0] = (char)n;
  touch(&local);
  touch(&local);
  return local->value + r->value + values[0] + bytes[0];
}

int main(void)
{
  ref r = cairn_new(struct box);
  long sum = 0;

  for (long n = 1; n < 100; n += 7)
    sum += dynamic(r, n) + both(r, n * 10);
  printf("%ld\n", sum);
  return 0;
}
