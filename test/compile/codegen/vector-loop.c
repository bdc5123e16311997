// A vectorised loop stays vectorised: its poll is in an outer loop around chunks of it (the slides'
// "Inner loop chunking").
// RUN: %cairn-cc -O3 -S %s -o - | FileCheck %s
#include <cairn/cairn.h>

int sum(int managed *a, long n)
{
  int total = 0;
  for (long i = 0; i < n; i++)
    total += a[i];
  return total;
}
// CHECK-LABEL: sum:
// CHECK: paddd
// CHECK-NOT: cairn_mutator
// CHECK: jne
// CHECK: chunk
// CHECK: callq cairn.slow.cairn_poll{{$}}
// CHECK: .cfi_endproc
