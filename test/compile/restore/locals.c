// A struct handled by its address in functions that are inlined: SROA cuts it up when it no longer
// knows where the references are. Found, and the module optimised again with such locals kept
// whole.
// RUN: clang -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p 'rules,prepare,default<O3>,restore-references' -S %t.bc \
// RUN:   2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: %cairn-cc -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: clang -O2 -fno-strict-aliasing -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c \
// RUN:   %s -o %t.bc
// RUN: %cairn opt --manage-all -p 'rules,prepare,default<O3>,restore-references' -S %t.bc | \
// RUN:   FileCheck %s --check-prefix=UNTAGGED
#include <cairn/cairn.h>

struct node {
  struct node managed *n;
};
struct odd {
  int a, b;
  struct node managed *p;
  int c;
};
static void in(struct odd managed *o, struct odd *x)
{
  *x = *o;
}
static void out(struct odd managed *o, struct odd *x)
{
  *o = *x;
}

// FOUND: in function 'change'{{.*}} [hidden-local]
// CHECK-LABEL: @change(
// CHECK: alloca %struct.odd
// Without TBAA nothing would tell: kept whole from the start.
// UNTAGGED-LABEL: @change(
// UNTAGGED: alloca %struct.odd
void change(struct odd managed *o)
{
  struct odd t;
  in(o, &t);
  t.a++;
  cairn_collect();
  out(o, &t);
}
