// A loop that copies an array of references becomes a memcpy, and for one element an i64 load and
// store. As an integer the reference would not be relocated where the two are moved apart.
// RUN: clang -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p 'rules,prepare,default<O3>' -S %t.bc \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: %cairn opt --manage-all -p 'rules,prepare,default<O3>,restore-references' -S %t.bc | \
// RUN:   FileCheck %s
// RUN: clang -O2 -fno-strict-aliasing -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c \
// RUN:   %s -o %t.bc
// RUN: %cairn opt --manage-all -p 'rules,prepare,default<O3>,restore-references' -S %t.bc | \
// RUN:   FileCheck %s --check-prefix=UNTAGGED
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
};
typedef struct node managed *ref;

static ref managed *grow(ref managed *old, long n)
{
  ref managed *v = cairn_new_array(ref, n * 2);
  for (long i = 0; i < n; i++)
    v[i] = old[i];
  return v;
}

// BEFORE-LABEL: @grow_one(
// BEFORE: load i64, ptr addrspace(1)
// CHECK-LABEL: @grow_one(
// CHECK-NOT: load i64
// CHECK: [[R:%.*]] = load ptr addrspace(1), ptr addrspace(1) %0, align 8, !tbaa
// CHECK: store ptr addrspace(1) [[R]], ptr addrspace(1) {{%.*}}, align 8, !tbaa
// Without TBAA a reference cannot be told from an integer: no memcpy is made in the first place.
// UNTAGGED-LABEL: @grow_one(
// UNTAGGED-NOT: load i64
// UNTAGGED: load ptr addrspace(1)
// UNTAGGED-NOT: llvm.memcpy
ref managed *grow_one(ref managed *old)
{
  return grow(old, 1);
}

// A copy of unknown length stays one.
// CHECK-LABEL: @grow_many(
// CHECK: llvm.memcpy
ref managed *grow_many(ref managed *old, long n)
{
  return grow(old, n);
}

// Integers stay integers.
// CHECK-LABEL: @numbers(
// CHECK: load i64
void numbers(long managed *to, long managed *from)
{
  *to = *from;
}
