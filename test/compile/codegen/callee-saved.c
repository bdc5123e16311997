// References that are live over calls stay in callee-saved registers: no spill before a call and no
// reload after it (docs/llvm-22.md, "registers"; LLVM's own lowering makes four of each here).
// RUN: %cairn-cc -O2 -S %s -o %t.s
// RUN: FileCheck %s --input-file=%t.s
// RUN: FileCheck %s --check-prefix=MAP --input-file=%t.s
#include <cairn/cairn.h>

struct node {
  struct node managed *left, *right;
  long value;
};
long visit(struct node managed *p, long depth);

long both(struct node managed *p, struct node managed *q)
{
  long a = visit(p, 1);
  long b = visit(q, 2);
  return a + b + p->value + q->value;
}
// CHECK-LABEL: both:
// CHECK: movq %rsi, [[Q:%r(bx|bp|1[2-5])]]
// CHECK: movq %rdi, [[P:%r(bx|bp|1[2-5])]]
// CHECK-NOT: (%rsp)
// CHECK: callq cairn.body.visit
// CHECK-NOT: (%rsp)
// CHECK: callq cairn.body.visit
// CHECK-NOT: (%rsp)
// CHECK-DAG: addq 16([[P]])
// CHECK-DAG: addq 16([[Q]])
// CHECK: retq

// The stack map of the calls says Register (location kind 1), not Indirect (3).
// MAP: .section .llvm_stackmaps
