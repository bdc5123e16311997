// Struct assignments. InstCombine makes an i64 of a copied reference and hoists it over a
// safepoint, where nothing relocates it; SROA makes [16 x i8] of a local's part, where nothing
// finds it. (src/compile/optimise/copies.c.)
// RUN: clang -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p prepare -S %t.bc | FileCheck %s
// RUN: %cairn opt --manage-all -p 'prepare,default<O3>' -S %t.bc | FileCheck %s --check-prefix=O3
#include <cairn/cairn.h>

struct one {
  struct one managed *p;
};
struct two {
  struct one managed *p;
  struct one managed *q;
};
struct small {
  int a, b;
};
struct odd {
  int a, b;
  struct one managed *p;
  int c;
};
union bytes {
  struct {
    char c;
    int i;
  } s;
  char all[8];
};
struct overlay {
  union bytes u;
  struct one managed *p;
};

// From object to object the type is not known: a pinned pair.
// CHECK-LABEL: @one_object(
// CHECK: [[V:%.*]] = load volatile i64, ptr addrspace(1) %1
// CHECK-NEXT: store volatile i64 [[V]], ptr addrspace(1) %0
// O3-LABEL: @one_object(
// O3: load volatile i64
// O3-NEXT: store volatile i64
void one_object(struct one managed *a, struct one managed *b)
{
  *a = *b;
}

// Where the address names the type, a reference is copied as one.
// CHECK-LABEL: @one_member(
// CHECK: load ptr addrspace(1), ptr addrspace(1) %1
// CHECK-NOT: volatile
// CHECK: ret void
void one_member(struct two managed *a, struct one managed *b)
{
  *(struct one managed *)&a->q = *b;
}

// Through a local: promoted, as references.
// CHECK-LABEL: @swap(
// CHECK-NOT: alloca
// CHECK: load ptr addrspace(1), ptr addrspace(1) %0
// CHECK: ret void
void swap(struct two managed *a, struct two managed *b)
{
  struct two t = *a;
  *a = *b;
  *b = t;
}

// A part of a struct that is only copied keeps its types.
// CHECK-LABEL: @part(
// CHECK-NOT: alloca
// CHECK: load ptr addrspace(1), ptr addrspace(1)
// CHECK: ret void
void part(struct odd managed *a, struct odd managed *b)
{
  struct odd t = *a;
  t.a++;
  *b = t;
}

// No pointer in it, says TBAA: left to the optimiser.
// CHECK-LABEL: @no_reference(
// CHECK: llvm.memcpy
// O3-LABEL: @no_reference(
// O3: load i64
// O3-NOT: volatile
void no_reference(struct small managed *a, struct small managed *b)
{
  *a = *b;
}

// A union's stand-in type is { { i8, i32 } }: the bytes between belong to the other member.
// CHECK-LABEL: @holes(
// CHECK-DAG: [[A:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %0, i64 1
// CHECK-DAG: load i8, ptr addrspace(1) [[A]]
// CHECK: ret void
void holes(struct overlay managed *a, struct overlay managed *b)
{
  struct overlay t = *a;
  *b = t;
}
