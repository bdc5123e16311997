// A union of a reference and something else is refused whichever member comes first, however deep,
// in objects, globals and locals. IR shows one member only; debug information has all.
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p rules -S %t.bc 2>&1 | sort -t: -k2n > %t.out
// RUN: FileCheck %s --implicit-check-not=error: < %t.out
#include <cairn/cairn.h>

struct obj {
  long n;
};
struct value {
  int tag;
  // CHECK: unions.c:[[@LINE+1]]:{{.*}} a union overlays a reference with other data{{.*}} [union-overlay]
  union {
    long i;
    struct obj managed *o;
  } u;
};
// CHECK: unions.c:[[@LINE+1]]:{{.*}} [union-overlay]
union reference_first {
  struct obj managed *o;
  double d;
};
struct deep {
  struct {
    // CHECK: unions.c:[[@LINE+1]]:{{.*}} [union-overlay]
    union {
      char bytes[24];
      struct {
        long a;
        struct obj managed *o;
      } s;
    } v[4];
  } in;
};
// CHECK: unions.c:[[@LINE+1]]:{{.*}} [union-overlay]
union shifted {
  struct {
    struct obj managed *a;
    long b;
  } x;
  struct {
    long a;
    struct obj managed *b;
  } y;
};
// An ordinary pointer is something else too.
// CHECK: unions.c:[[@LINE+1]]:{{.*}} [union-overlay]
union native {
  void *p;
  struct obj managed *o;
};

struct value managed *in_object(void)
{
  return cairn_new(struct value);
}
long in_local(double d)
{
  // CHECK: unions.c:[[@LINE+1]]:{{.*}} a value of another type is stored {{.*}} [union-overlay]
  union reference_first r = {.d = d};
  return r.o == 0;
}
struct deep global;
long in_parameters(union shifted managed *s, union native *n)
{
  return s == 0 && n == 0 && global.in.v[0].bytes[0];
}
