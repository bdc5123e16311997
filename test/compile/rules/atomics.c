// clang emits atomic operations on references as operations on i64. They get reference type, so
// that the values are relocated.
// RUN: clang -g -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules,prepare -S %t.bc | FileCheck %s
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules,prepare -S %t.bc | FileCheck %s
#include <cairn/cairn.h>
#include <stdatomic.h>

struct box {
  struct box managed *next;
  _Atomic(struct box managed *) shared;
  _Atomic long count;
};
static _Atomic(struct box managed *) head;

// CHECK-LABEL: @get(
// CHECK: load atomic ptr addrspace(1), ptr @head acquire, align 8
struct box managed *get(void)
{
  return atomic_load_explicit(&head, memory_order_acquire);
}

// CHECK-LABEL: @put(
// CHECK: store atomic ptr addrspace(1) %0, ptr @head seq_cst, align 8
void put(struct box managed *b)
{
  head = b;
}

// CHECK-LABEL: @swap(
// CHECK: atomicrmw xchg ptr addrspace(1) {{%.*}}, ptr addrspace(1) %1 seq_cst, align 8
struct box managed *swap(struct box managed *in, struct box managed *b)
{
  return atomic_exchange(&in->shared, b);
}

// CHECK-LABEL: @push(
// CHECK: cmpxchg weak ptr @head, ptr addrspace(1) {{%.*}}, ptr addrspace(1) %0 acq_rel monotonic, align 8
void push(struct box managed *b)
{
  struct box managed *seen = head;
  do
    b->next = seen;
  while (!atomic_compare_exchange_weak_explicit(&head, &seen, b, memory_order_acq_rel, memory_order_relaxed));
}

// Data stays data.
// CHECK-LABEL: @count(
// CHECK: atomicrmw add ptr addrspace(1) {{%.*}}, i64 1 seq_cst, align 8
long count(struct box managed *b)
{
  return b->count++;
}
