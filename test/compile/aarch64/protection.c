// -mbranch-protection=standard: managed functions sign their return addresses, which frame maps tolerate, and each
// function that an address reaches has a landing pad, Cairn's own functions too. Wrong: a jump that the processor
// refuses, or a signed address that no walk strips.
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -mbranch-protection=standard -S %s -o - | FileCheck %s
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -mbranch-protection=standard -c %s -o %t.o
// RUN: %cairn frames %t.o | FileCheck %s --check-prefix=FRAMES
// RUN: llvm-readelf -n %t.o | FileCheck %s --check-prefix=NOTE
#include <cairn/cairn.h>

struct list {
  struct list managed *next;
};
void native(void);

// CHECK-LABEL: {{^}}cairn.call.native:
// CHECK-NEXT: .cfi_startproc
// CHECK-NEXT: hint #34

// CHECK-LABEL: {{^}}first:
// CHECK: .ascii
// CHECK: {{hint #25|paciasp}}
// CHECK-NEXT: .cfi_negate_ra_state
// CHECK: {{hint #29|autiasp}}
struct list managed *first(struct list managed *p)
{
  native();
  return p->next;
}

// CHECK-LABEL: {{^}}cairn.image:
// CHECK: {{bti c|hint #34}}

// FRAMES: function first
// FRAMES: root x19
// NOTE: BTI, PAC
