// Round a poll in a loop nothing is saved, whatever is live over it: fourteen integers, thirteen
// doubles, vectors of 32 bytes, and of 64, which the slow path does not keep and which are saved in
// the cold block for that reason. The cold block lies after the function's last return, out of the
// way of the loop (docs/placement.md, "What is a poll?").
// RUN: %cairn-cc -O2 -mavx2 -mfma -S %s -o %t.avx2.s
// RUN: FileCheck %s --input-file=%t.avx2.s --implicit-check-not=Spill --implicit-check-not=Reload
// RUN: %cairn-cc -O2 -mavx512f -mprefer-vector-width=512 -S %s -o - | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: %cairn-cc -O1 -mavx2 -mfma -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O3 -mavx2 -mfma -fno-omit-frame-pointer -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O2 -mavx2 -mfma -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O2 -mavx2 -mfma -fcairn-poll=stack -S %s -o - | FileCheck %s --check-prefix=STACK
#include <cairn/cairn.h>

typedef double four __attribute__((vector_size(32), aligned(8)));
typedef double eight __attribute__((vector_size(64), aligned(8)));
struct node {
  struct node managed *next;
  long value;
  double numbers[8];
};

long integers(struct node managed *p, const long *w)
{
  long a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6], h = w[7], i = w[8],
       j = w[9], k = w[10], l = w[11];
  for (; p; p = p->next) {
    a ^= p->value, b += a, c ^= b, d += c, e ^= d, f += e, g ^= f, h += g, i ^= h, j += i, k ^= j;
    l += k;
  }
  return a + b + c + d + e + f + g + h + i + j + k + l;
}
// CHECK-LABEL: integers:
// CHECK: Loop Header
// CHECK-NOT: (%rsp)
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: jne [[COLD:\.LBB[0-9_]+]]
// CHECK-NOT: (%rsp)
// CHECK-NOT: cairn_poll_slow
// CHECK: retq
// CHECK: [[COLD]]:
// CHECK: callq {{.*}}cairn_poll_slow
// STACK-LABEL: integers:
// STACK: Loop Header
// STACK-NOT: (%rsp)
// STACK: cmpq %fs:cairn_mutator@TPOFF+48, %rsp
// STACK-NEXT: #NO_APP
// STACK-NEXT: jb [[COLD:\.LBB[0-9_]+]]
// STACK-NOT: (%rsp)
// STACK-NOT: cairn_poll_slow
// STACK: retq
// STACK: [[COLD]]:
// STACK: callq {{.*}}cairn_poll_slow

double doubles(struct node managed *p, const double *w)
{
  double a = w[0], b = w[1], c = w[2], d = w[3], e = w[4], f = w[5], g = w[6], h = w[7], i = w[8],
         j = w[9], k = w[10], l = w[11];
  for (; p; p = p->next) {
    double x = p->numbers[0];
    a += b, b -= c * x, c += d, d -= e * x, e += f, f -= g * x, g += h, h -= i * x, i += j;
    j -= k * x, k += l, l -= a * x;
  }
  return a + b + c + d + e + f + g + h + i + j + k + l;
}
// CHECK-LABEL: doubles:
// CHECK: Loop Header
// CHECK-NOT: (%rsp)
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: jne
// CHECK-NOT: (%rsp)
// CHECK-NOT: cairn_poll_slow
// CHECK: retq
// CHECK: callq {{.*}}cairn_poll_slow

double vectors(struct node managed *p)
{
  four a = {0}, b = {0};
  for (; p; p = p->next) {
    four x = *(four managed *)p->numbers;
    a += x;
    b += a * x;
  }
  return a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3];
}
// CHECK-LABEL: vectors:
// CHECK: Loop Header
// CHECK-NOT: (%rsp)
// CHECK: cmpl $0, %fs:cairn_mutator@TPOFF
// CHECK-NEXT: jne
// CHECK-NOT: (%rsp)
// CHECK-NOT: cairn_poll_slow
// CHECK: %ymm
// CHECK: retq
// CHECK: callq {{.*}}cairn_poll_slow

double wide(struct node managed *p)
{
  eight a = {0}, b = {0};
  for (; p; p = p->next) {
    eight x = *(eight managed *)p->numbers;
    a += x;
    b += a * x;
  }
  return a[0] + a[1] + a[7] + b[0] + b[1] + b[7];
}
// CHECK-LABEL: wide:
// WIDE: Loop Header
// WIDE-NOT: (%rsp)
// WIDE: cmpl $0, %fs:cairn_mutator@TPOFF
// WIDE-NEXT: jne
// WIDE-NOT: (%rsp)
// WIDE: %zmm
// WIDE: retq
// WIDE: %zmm{{.*}}Spill
// WIDE: callq {{.*}}cairn_poll_slow
