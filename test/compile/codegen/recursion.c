// A recursion that the optimiser has made a loop of polls right before the call in it, and else is as plain C: a leaf
// saves no registers and does not poll. A function that never collects is called as plain C calls it: no record, and
// what lives over the call lies in callee-saved registers or is not touched.
// RUN: %cairn-cc -O3 -fcairn-manage=all -fPIE -I%root/include -S -o - %root/bench/kernels/fib.c \
// RUN:   | FileCheck --check-prefix=FIB %s
// RUN: %cairn-cc -O3 -fcairn-manage=all -fPIE -I%root/include -S -o - %root/bench/kernels/tree_walk.c \
// RUN:   | FileCheck --check-prefix=WALK %s
// RUN: %cairn-cc -O3 -fcairn-manage=all -fPIE -S -o - %s | FileCheck %s
// FIB-LABEL: {{^}}fib:
// FIB-NOT: cairn_mutator
// FIB: # =>This Inner Loop Header
// FIB-NEXT: cmpl $0, %fs:cairn_mutator
// FIB-NEXT: jne
// FIB-NOT: cairn_mutator
// FIB: callq fib
// FIB-NOT: cairn_mutator
// FIB: retq
// WALK-LABEL: {{^}}walk:
// WALK: testq %rdi, %rdi
// WALK-NEXT: je [[LEAF:.LBB[0-9_]+]]
// WALK: pushq
// WALK: cmpl $0, %fs:cairn_mutator
// WALK-NEXT: jne
// WALK-NOT: cairn_mutator
// WALK: callq walk
// WALK-NOT: cairn_mutator
// WALK: [[LEAF]]:
// WALK-NOT: popq
// WALK: retq
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
