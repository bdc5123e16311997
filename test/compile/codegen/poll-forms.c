// Where the call of a poll lies: beside it at -O2, with a branch past it; after the function's end in loops that call
// nothing, in recursions, and at -O3; and a poll that runs seldom is the call of the stub alone (docs/placement.md,
// "What a poll is"). Wrong: a branch that is taken on each level of fib; a comparison after each chunk of thousands of
// passes.
// RUN: %cairn-cc -O2 -fno-pie -S %s -o - | FileCheck %s --check-prefixes=CHECK,TWO --implicit-check-not=Spill
// RUN: %cairn-cc -O3 -fno-pie -S %s -o - | FileCheck %s --check-prefixes=CHECK,THREE --implicit-check-not=Spill
// RUN: %cairn-cc -O2 -fno-pie -S -emit-llvm %s -o %t.ll && %cairn verify --check-polls %t.ll
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
long other(struct node managed *node);

// CHECK-LABEL: {{^}}calls:
// TWO: cmpl $0, %fs:cairn_mutator@TPOFF
// TWO-NEXT: je
// TWO: callq cairn.slow.cairn_poll_slow
// CHECK: callq cairn.{{call|body}}.other
// CHECK: retq
// THREE: callq cairn.slow.cairn_poll_slow
long calls(struct node managed *node)
{
  return other(node) + 1;
}

// CHECK-LABEL: {{^}}walk:
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: jne
// CHECK: retq
// CHECK: callq cairn.slow.cairn_poll_slow
long walk(struct node managed *node)
{
  long sum = 0;
  for (; node; node = node->next)
    sum += node->value;
  return sum;
}

// CHECK-LABEL: {{^}}fib:
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: jne
// CHECK: retq
// CHECK: callq cairn.slow.cairn_poll_slow
long fib(long n)
{
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

// CHECK-LABEL: {{^}}chunks:
// CHECK: callq cairn.slow.cairn_poll{{$}}
// CHECK: .Lfunc_end
void chunks(long managed *at, long managed *end)
{
  for (; at != end; at++)
    *at ^= 5;
}
