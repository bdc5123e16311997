// The loop of the seeds' slides (late-insertion-slides-2014, "Example"): inserted late, safepoints
// cost it nothing. It becomes a memset as in plain C, which non-integral pointers ("ni:1") would
// prevent; inserted early it stays a loop.
// RUN: %cairn-cc -O3 -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O3 -fcairn-safepoints=early -S %s -o - | FileCheck %s --check-prefix=EARLY
#include <cairn/cairn.h>

void foo(int managed *arr, int len)
{
  int managed *p = arr + len;
  while (p != arr) {
    p--;
    *p = 0;
  }
}
// CHECK-LABEL: foo:
// CHECK: memset
// CHECK: .cfi_endproc
// EARLY-LABEL: foo:
// EARLY-NOT: memset
// EARLY: .cfi_endproc
