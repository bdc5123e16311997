// "Late insertion of safepoints (and barriers)", "Doesn't limit any existing IR optimization"
// (late-insertion-slides-2014, "Conclusions"): the optimiser works on plain loads and stores, and
// what it leaves has the barriers. Wrong: a barrier is there before it, and keeps a dead store, a
// loop or a second load alive.
// RUN: for k in cards snapshot; do \
// RUN:   %cairn-cc -O2 -fcairn-barriers=$k -S -emit-llvm %s -o %t.ll && FileCheck %s < %t.ll || \
// RUN:   exit 1; done
// RUN: %cairn-cc -O2 -fcairn-barriers=cards -S -emit-llvm %s -o - | \
// RUN:   FileCheck --check-prefix=CARDS %s
// RUN: %cairn-cc -O2 -fcairn-barriers=loads -S -emit-llvm %s -o - | \
// RUN:   FileCheck --check-prefixes=CHECK,LOADS %s
#include <cairn/cairn.h>

struct cell {
  long value;
  struct cell managed *next, *other;
};
typedef struct cell managed *ref;

// The first store is dead: one barrier.
// CHECK-LABEL: define {{.*}}@twice(
// CARDS-LABEL: define {{.*}}@twice(
// CARDS: lshr i64 %{{.*}}, 9
// CARDS-NOT: lshr
// CARDS: ret void
// CHECK-NOT: store ptr addrspace(1) %a,
// CHECK: store ptr addrspace(1) %b,
// CHECK: ret void
void twice(ref p, ref a, ref b)
{
  p->next = a;
  p->value = 1;
  p->next = b;
}

// One load, which has one barrier.
// CHECK-LABEL: define {{.*}}@again(
// LOADS: load ptr addrspace(1),
// LOADS: @cairn.slow.cairn_barrier_load(
// LOADS-NOT: load ptr addrspace(1),
// LOADS-NOT: cairn_barrier_load(
// CHECK: ret ptr addrspace(1)
ref again(ref p)
{
  ref a = p->next;

  return p->next == a ? a : (ref)0;
}

// The loop goes.
// CHECK-LABEL: define {{.*}}@hoisted(
// CARDS-LABEL: define {{.*}}@hoisted(
// CARDS: lshr i64 %{{.*}}, 9
// CARDS-NOT: lshr
// CARDS: ret void
// CHECK-NOT: phi i64
// CHECK: store ptr addrspace(1)
// CHECK-NOT: phi i64
// CHECK: ret void
void hoisted(ref p, long n)
{
  for (long i = 0; i < n; i++)
    p->other = p->next;
}

// A loop of loads and stores is a memcpy, with one barrier before it.
// CHECK-LABEL: define {{.*}}@copied(
// CHECK: cairn_barrier_range(
// CHECK: call void @llvm.memcpy.p1.p1.i64(
// CHECK: ret void
void copied(ref managed *restrict to, ref managed *restrict from, long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}
