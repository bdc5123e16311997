// Allocations on both sides of a branch must not be merged into one with a layout that is only
// known at run time.
// RUN: clang -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p 'rules,prepare,default<O3>,layouts' -S %t.bc | FileCheck %s
#include <cairn/cairn.h>
struct one {
  struct one managed *p;
  long n;
};
struct two {
  struct one managed *p, *q;
};
// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.0,
// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.1,
void managed *either(int c)
{
  if (c)
    return cairn_new(struct one);
  return cairn_new(struct two);
}
