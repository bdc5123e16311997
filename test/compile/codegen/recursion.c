// A recursion that the optimiser has made a loop of polls once per call, on entry, and the loop is as
// in plain C. A leaf is called as plain C calls it: no record, and what lives over the call lies in
// callee-saved registers or is not touched.
// RUN: %cairn-cc -O3 -fcairn-manage=all -fPIE -I%root/include -S -o - %root/bench/kernels/fib.c \
// RUN:   | FileCheck --check-prefix=FIB %s
// RUN: %cairn-cc -O3 -fcairn-manage=all -fPIE -S -o - %s | FileCheck %s
// FIB-LABEL: {{^}}fib:
// FIB: cmpq $0, %fs:cairn_mutator
// FIB: [[LOOP:.LBB[0-9_]+]]:{{ +}}# %tailrecurse
// FIB-NOT: cairn_mutator
// FIB: callq fib
// FIB-NOT: cairn_mutator
// FIB: retq
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

__attribute__((noinline)) long value_of(struct node managed *node)
{
  return node->value;
}

// CHECK-LABEL: {{^}}sum_of_two:
// CHECK-NOT: cairn_mutator
// CHECK: callq cairn.call.value_of
// CHECK-NOT: .Ltmp
// CHECK: callq cairn.call.value_of
// CHECK-NOT: .Ltmp
// CHECK: retq
long sum_of_two(struct node managed *node)
{
  return value_of(node) + 3 * value_of(node->next);
}
