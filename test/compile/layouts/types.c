// Each reference in a type must be in its layout: one that is not is lost at the first collection.
// Offsets are from the payload, for elements from the element's start.
// RUN: clang -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p prepare,layouts -S %t.bc | FileCheck %s
// RUN: %cairn opt --manage-all -p 'prepare,default<O2>,layouts' -S %t.bc | FileCheck %s
#include <cairn/cairn.h>

struct node {
  struct node managed *left, *right;
  long key;
};
struct inner {
  char c;
  struct node managed *n;
};
struct outer {
  struct inner in[2];
  struct node *unmanaged;
  double d;
  struct node managed *last;
};
struct table {
  int count;
  struct node managed *slot[];
};
struct pairs {
  struct node managed *owner;
  struct inner pair[];
};

// Layout statics are gone; equal layouts of one type are one.
// CHECK-NOT: cairn_layout_
//                                                  base_refs base  elem  elem_offset flags elem_refs names
// CHECK: @cairn.layout.0 = private constant {{.*}} { i32 843993667, i32 2, i64 24, i64 0, i32 0, i32 0, i32 0, i32 trunc
// CHECK-SAME: [2 x i32] [i32 0, i32 8] }, section "cairn_layouts", align 8
// CHECK: @cairn.layout.1 = {{.*}} { i32 843993667, i32 3, i64 56, i64 0, i32 0, i32 0, i32 0, i32 trunc
// CHECK-SAME: [3 x i32] [i32 8, i32 24, i32 48] }
// CHECK: @cairn.layout.2 = {{.*}} { i32 843993667, i32 0, i64 8, i64 8, i32 8, i32 0, i32 1, i32 trunc
// CHECK-SAME: [1 x i32] zeroinitializer }
// CHECK: @cairn.layout.3 = {{.*}} { i32 843993667, i32 1, i64 8, i64 16, i32 8, i32 0, i32 1, i32 trunc
// CHECK-SAME: [2 x i32] [i32 0, i32 8] }
// CHECK: @cairn.layout.4 = {{.*}} { i32 843993667, i32 0, i64 0, i64 24, i32 0, i32 0, i32 2, i32 trunc
// CHECK-SAME: [2 x i32] [i32 0, i32 8] }
// CHECK: @cairn.layout.5 = {{.*}} { i32 843993667, i32 2, i64 24, i64 0, i32 0, i32 0, i32 0, i32 trunc
// CHECK-SAME: [2 x i32] [i32 0, i32 8] }
// CHECK: @cairn.layout.6 = {{.*}} { i32 843993667, i32 0, i64 8, i64 0, i32 0, i32 1, i32 0, i32 trunc
// CHECK-SAME: [0 x i32] zeroinitializer }
// CHECK: @cairn.layout.7 = {{.*}} { i32 843993667, i32 0, i64 0, i64 1, i32 0, i32 1, i32 0, i32 trunc
// CHECK-SAME: [0 x i32] zeroinitializer }
// CHECK-NOT: @cairn.layout.8

// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.0, i64 noundef 24)
struct node managed *object(void)
{
  return cairn_new(struct node);
}

// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.1, i64 noundef 56)
struct outer managed *nested(void)
{
  return cairn_new(struct outer);
}

// CHECK: call {{.*}}@cairn_alloc_flex(ptr {{.*}}@cairn.layout.2, i64 noundef %0)
struct table managed *flex(long n)
{
  return cairn_new_flex(struct table, n);
}

// CHECK: call {{.*}}@cairn_alloc_flex(ptr {{.*}}@cairn.layout.3, i64 noundef %0)
struct pairs managed *flex_of_structs(long n)
{
  return cairn_new_flex(struct pairs, n, pair);
}

// CHECK: call {{.*}}@cairn_alloc_array(ptr {{.*}}@cairn.layout.4, i64 noundef %0)
struct node managed *array(long n)
{
  return cairn_new_array(struct node, n);
}

// A layout of its own for another type of the same shape.
// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.5, i64 noundef 24)
struct twin {
  struct node managed *a, *b;
  void *c;
};
struct twin managed *twin(void)
{
  return cairn_new(struct twin);
}

// An object of no bytes gets a word: a reference to its end would look like the next block's.
struct nothing {
};
// CHECK: call {{.*}}@cairn_alloc(ptr {{.*}}@cairn.layout.6, i64 noundef 0)
struct nothing managed *empty(void)
{
  return cairn_new(struct nothing);
}

// Elements of no bytes: 0 would say that the object has no elements.
// CHECK: call {{.*}}@cairn_alloc_array(ptr {{.*}}@cairn.layout.7, i64 noundef %0)
struct nothing managed *empties(long n)
{
  return cairn_new_array(struct nothing, n);
}
