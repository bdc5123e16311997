// A loop with a poll keeps its references in registers that calls would clobber, spills nothing,
// and its hot path is one fused compare and a branch to a cold block (docs/llvm-22.md, "cold
// calls").
// RUN: %cairn-cc -O2 -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O2 -fPIE -S %s -o - | FileCheck %s
#include <cairn/cairn.h>

struct list {
  struct list managed *next;
  long value;
};

long total(struct list managed *p)
{
  long sum = 0;
  for (; p; p = p->next)
    sum += p->value;
  return sum;
}
// The cold block lies after the return.
// The one push aligns the stack for the cold calls; no register is saved.
// CHECK-LABEL: total:
// CHECK-NOT: push{{q? +}}%r{{b|1}}
// CHECK: [[LOOP:\.LBB[0-9_]+]]:
// CHECK-NOT: (%rsp)
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: {{je|jne}}
// CHECK-NOT: (%rsp)
// CHECK: callq {{.*}}cairn_poll_slow
// CHECK-NOT: (%rsp)
// CHECK: .cfi_endproc
