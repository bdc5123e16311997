// Small structs with references, which clang passes and returns as integers on AArch64. Wrong: a reference that is an
// integer while an object moves, or another register than the procedure call standard has: a struct is in registers or
// in memory as a whole.
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cairn-cc --target=aarch64-linux-gnu -O0 -c %s -o %t.o
// RUN: not %cairn-cc --target=aarch64-linux-gnu -O2 -DREFUSED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REFUSED
#include <cairn/cairn.h>

struct object {
  long x;
};
struct one {
  struct object managed *p;
};
struct two {
  int k;
  struct object managed *p;
};
struct plain {
  long x, y;
};

struct one take_one(struct one);
struct two take_two(struct two);
struct plain take_plain(struct plain);

// CHECK-DAG: define {{.*}}ptr addrspace(1) @one(ptr addrspace(1) {{[^,]*}})
struct one one(struct one x)
{
  cairn_collect();
  return take_one(x);
}

// CHECK-DAG: define {{.*}}{ i64, ptr addrspace(1) } @two(i64 {{[^,]*}}, ptr addrspace(1) {{[^,]*}})
struct two two(struct two x)
{
  cairn_collect();
  return take_two(x);
}

// One register is left for x, which is in memory.
// CHECK-DAG: define {{.*}}@late({{(i64 [^,]*, ){9}ptr}} addrspace(1) {{[^,]*}})
long late(long a, long b, long c, long d, long e, long f, long g, struct two x)
{
  cairn_collect();
  return x.p->x + a + b + c + d + e + f + g;
}

// CHECK-DAG: load volatile [2 x i64]
struct two through(struct two (*function)(struct two), struct two *x)
{
  return function(*x);
}

// CHECK-DAG: [2 x i64] @plain([2 x i64]
struct plain plain(struct plain x)
{
  return take_plain(x);
}

#ifdef REFUSED
int variadic(int n, ...);
// REFUSED: a struct that holds references is passed as a variadic argument
int vary(struct two x)
{
  return variadic(1, x);
}
#endif
