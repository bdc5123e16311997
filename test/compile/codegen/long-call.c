// A memset or memcpy that may be long costs its caller one comparison: nothing is saved for the call
// that makes it in pieces, and a short one is the jump to the library that it is in plain C
// (docs/placement.md, "Long calls").
// RUN: %cairn-cc -O2 -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O3 -fPIC -S %s -o - | FileCheck %s
#include <cairn/cairn.h>

void clear(long managed *p, long n)
{
  for (long i = 0; i < n; i++)
    p[i] = 0;
}
// CHECK-LABEL: clear:
// CHECK-NOT: pushq %r{{b|1}}
// CHECK: cmpq $16384, %rdx
// CHECK-NEXT: ja [[COLD:\.LBB[0-9_]+]]
// CHECK: jmp memset@PLT
// CHECK: [[COLD]]:
// CHECK-NOT: pushq
// CHECK: callq cairn.long.llvm.memset.p1.i64

void copy(long managed *restrict p, const long managed *restrict q, long n)
{
  for (long i = 0; i < n; i++)
    p[i] = q[i];
}
// CHECK-LABEL: copy:
// CHECK-NOT: pushq %r{{b|1}}
// CHECK: cmpq $16384, %rdx
// CHECK-NEXT: ja [[COLD:\.LBB[0-9_]+]]
// CHECK: jmp memcpy@PLT
// CHECK: [[COLD]]:
// CHECK-NOT: pushq
// CHECK: callq cairn.long.llvm.memcpy.p1.p1.i64
