// What the optimiser knows of arrays that are not cleared: nothing is in them. A type with references is refused where
// it is written, at every level, used or not.
// RUN: %cairn-cc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %cairn-cc -O0 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
// RUN: not %cairn-cc -O2 -DREFUSED -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
#include <cairn/cairn.h>
struct text {
  long length;
  char bytes[];
};
struct named {
  struct text managed *name;
  char bytes[];
};

// CHECK-LABEL: i64 @unread(
// CHECK-NOT: _alloc
// CHECK: ret i64
long unread(long n)
{
  long managed *a = cairn_new_array_uninit(long, 8);

  a[3] = n;
  return a[3];
}

// CHECK-LABEL: @filled(
// CHECK-NOT: memset
// CHECK: _alloc_uninit_slow
// CHECK: ret ptr
long managed *filled(long n)
{
  long managed *a = cairn_new_array_uninit(long, n);

  for (long i = 0; i < n; i++)
    a[i] = i;
  return a;
}

// CHECK-LABEL: @text(
// CHECK-NOT: memset
// CHECK: ret ptr
struct text managed *text(long n)
{
  struct text managed *t = n > 9 ? cairn_new_flex_uninit(struct text, n) : cairn_new_flex_uninit(struct text, n, bytes);

  t->length = n;
  return t;
}

#ifdef REFUSED
long refused(long n)
{
  // REFUSED: uninit.c:[[@LINE+1]]:{{.*}}: error: in function 'refused': {{.*}} [uninit-references]
  struct named managed *managed *a = cairn_new_array_uninit(struct named managed *, n);
  // REFUSED: uninit.c:[[@LINE+1]]:{{.*}}: error: in function 'refused': {{.*}} [uninit-references]
  struct named managed *b = cairn_new_flex_uninit(struct named, n);

  return b->bytes[1] + (a == NULL);
}
#endif
