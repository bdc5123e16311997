// What the optimiser knows of allocations: an object that nothing reads is not allocated, a new one is zeroed. A length
// that may be an error stays one: LLVM would take it away with the array.
// RUN: %cairn-cc -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not='call{{.*}}_alloc'
#include <cairn/cairn.h>
struct node {
  struct node managed *next;
  long value;
};

// CHECK-LABEL: i64 @dead(
// CHECK: ret i64
long dead(long n)
{
  long sum = 0;

  for (long i = 0; i < n; i++) {
    struct node managed *x = cairn_new(struct node);
    x->value = i;
    sum += i;
  }
  return sum;
}

// CHECK-LABEL: i64 @zeroed(
// CHECK: ret i64 1
long zeroed(void)
{
  struct node managed *x = cairn_new(struct node);

  return x->value + (x->next == NULL);
}

// CHECK-LABEL: i64 @array(
// CHECK: ret i64 0
long array(void)
{
  long managed *a = cairn_new_array(long, 8);

  a[3] = 5;
  return a[2];
}

// CHECK-LABEL: ptr addrspace(1) @pushed(
// CHECK-NOT: icmp eq ptr addrspace(1) {{.*}} null
// CHECK: _alloc_slow
struct node managed *pushed(struct node managed *list)
{
  struct node managed *x = cairn_new(struct node);

  if (x->next || x->value)
    return NULL;
  x->next = list;
  return x;
}

// CHECK-LABEL: void @length(
// CHECK: _alloc_indexed_slow
void length(long n)
{
  (void)cairn_new_array(long, n);
}

// CHECK-LABEL: void @too_long(
// CHECK: _alloc_indexed_slow
void too_long(void)
{
  (void)cairn_new_array(long, 1L << 62);
}
