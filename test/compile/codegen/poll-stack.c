// --poll=stack: one comparison of the stack pointer with the thread's limit and a branch, as dear as
// the poll of the word; no register is needed, and the loop saves none (docs/placement.md, "What is a
// poll?"). LLVM would load the limit into a register first.
// RUN: %cairn-cc -O2 -fcairn-poll=stack -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O3 -fcairn-poll=stack -fPIE -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-poll=stack -fno-omit-frame-pointer -S %s -o - | FileCheck %s --check-prefix=FUSED
// RUN: %cairn-cc -Os -fcairn-poll=stack -S %s -o - | FileCheck %s --check-prefix=FUSED
// RUN: %cairn-cc -O0 -fcairn-poll=stack -S %s -o - | FileCheck %s --check-prefix=FUSED
// RUN: %cairn-cc -O2 -fcairn-poll=stack -fPIC -S %s -o - | FileCheck %s --check-prefix=PIC
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
// CHECK-LABEL: total:
// CHECK-NOT: push{{q? +}}%r{{b|1}}
// CHECK: [[LOOP:\.LBB[0-9_]+]]:
// CHECK-NOT: (%rsp)
// CHECK: cmpq %fs:cairn_mutator@TPOFF+48, %rsp
// CHECK-NEXT: #NO_APP
// CHECK-NEXT: jb
// CHECK-NOT: (%rsp)
// CHECK: callq {{.*}}cairn_poll_slow
// CHECK-NOT: (%rsp)
// CHECK: .cfi_endproc

// FUSED-LABEL: total:
// FUSED: cmpq %fs:cairn_mutator@TPOFF+48, %rsp
// FUSED-NEXT: #NO_APP
// FUSED-NEXT: jb

// In a shared object the mutator's offset is loaded once, before the loop.
// PIC-LABEL: total:
// PIC: movq cairn_mutator@GOTTPOFF(%rip), [[AT:%r[a-z0-9]+]]
// PIC-NOT: GOTTPOFF
// PIC: Inner Loop Header
// PIC-NOT: GOTTPOFF
// PIC: cmpq %fs:48([[AT]]), %rsp
// PIC-NEXT: #NO_APP
// PIC-NEXT: jb
// PIC: .cfi_endproc
