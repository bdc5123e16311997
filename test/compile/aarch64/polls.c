// Polls, allocation and frames of AArch64. Wrong: another register for the thread's mutator than its model says, code
// without a frame record, or a poll that costs more than a load and a branch in a loop.
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc -target aarch64-linux-gnu -O2 -fPIC -S %s -o - | FileCheck %s --check-prefix=PIC
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fno-pie -fcairn-poll=stack -S %s -o - | \
// RUN:   FileCheck %s --check-prefix=STACK
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fomit-frame-pointer -S %s -o - | FileCheck %s --check-prefix=FRAME
// RUN: %cairn-cc --target=aarch64-linux-gnu -Os -fno-pie -S %s -o - | FileCheck %s --check-prefix=SMALL
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
// CHECK-LABEL: {{^}}total:
// CHECK: mrs [[BASE:x[0-9]+]], TPIDR_EL0
// CHECK: add [[BASE]], [[BASE]], :tprel_hi12:cairn_mutator
// CHECK: Inner Loop Header
// CHECK-NOT: TPIDR_EL0
// CHECK: ldr [[WORD:w[0-9]+]], {{\[x[0-9]+\]}}
// CHECK-NEXT: cbnz [[WORD]]
// CHECK: bl cairn.slow.cairn_poll_slow
// CHECK: .Lfunc_end

// PIC-LABEL: {{^}}total:
// PIC: adrp [[AT:x[0-9]+]], :gottprel:cairn_mutator
// PIC: ldr {{x[0-9]+}}, {{\[}}[[AT]], :gottprel_lo12:cairn_mutator]
// PIC: Inner Loop Header
// PIC-NOT: gottprel
// PIC: ldr [[WORD:w[0-9]+]], [{{x[0-9]+}}, {{x[0-9]+}}]
// PIC-NEXT: cbnz [[WORD]]

// STACK-LABEL: {{^}}total:
// STACK: ldr x16, [{{x[0-9]+}}]
// STACK-NEXT: cmp sp, x16
// STACK-NEXT: //NO_APP
// STACK-NEXT: cset [[FLAG:w[0-9]+]], lo
// STACK-NEXT: cbnz [[FLAG]]

// FRAME-LABEL: {{^}}total:
// FRAME: stp x29, x30, [sp, #-
// FRAME: mov x29, sp

// SMALL-LABEL: {{^}}total:
// SMALL: bl cairn.slow.cairn_poll{{$}}

long leaf(struct list managed *p)
{
  return p->value;
}
// A function without calls has no frame.
// FRAME-LABEL: {{^}}leaf:
// FRAME-NOT: x29
// FRAME: ret
