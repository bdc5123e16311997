// A difference of two references must not be left as integers: the optimiser would hoist ptrtoint
// over calls, and a collection between makes the difference wrong.
// RUN: clang -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p prepare -S %t.bc | FileCheck %s
// RUN: %cairn opt --manage-all -p prepare,lower-differences -S %t.bc \
// RUN:   | FileCheck %s --check-prefix=LATE
#include <cairn/cairn.h>

struct pair {
  struct pair managed *p;
  long n;
};

// CHECK-LABEL: @words({{.*}} gc "statepoint-example"
// CHECK-NOT: ptrtoint
// CHECK: [[D:%.*]] = call i64 @cairn.ptrdiff(ptr addrspace(1) %0, ptr addrspace(1) %1)
// CHECK: sdiv exact i64 [[D]], 16
// LATE-LABEL: @words(
// LATE: sub i64
// LATE-NOT: cairn.ptrdiff
long words(struct pair managed *p, struct pair managed *q)
{
  return p - q;
}

// The same reference twice: the casts are erased once.
// CHECK-LABEL: @self(
// CHECK: call i64 @cairn.ptrdiff(ptr addrspace(1) %0, ptr addrspace(1) %0)
long self(char managed *p)
{
  return p - p;
}

// CHECK: declare i64 @cairn.ptrdiff(ptr addrspace(1), ptr addrspace(1)) #[[A:[0-9]+]]
// CHECK: attributes #[[A]] = {{{.*}}nocallback{{.*}}memory(none) "gc-leaf-function"
