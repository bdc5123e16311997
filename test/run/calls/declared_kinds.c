// Functions of other files that are declared to be native or managed: plainly, variadic, by another name, and from a
// shared object. A wrong cairn_managed_function is found by the linker; a wrong cairn_native costs time only.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -O2 -DNATIVE -DCAIRN_PLAIN -I%root/include -c %s -o native.o
// RUN: %cairn-cc -O2 -DMANAGED -fPIC -c %s -o managed.o
// RUN: %cairn-cc -O0 -c %s -o main0.o && %cairn-cc main0.o managed.o native.o -o main0 && \
// RUN:   env CAIRN_STRESS=1 ./main0 | FileCheck %s
// RUN: %cairn-cc -O2 -c %s -o main.o && %cairn-cc main.o managed.o native.o -o main && env CAIRN_STRESS=1 ./main | \
// RUN:   FileCheck %s
// RUN: %cairn-cc -O2 -flto -DMANAGED -c %s -o managed_lto.o && \
// RUN:   %cairn-cc -O2 -flto %s managed_lto.o native.o -o lto && env CAIRN_STRESS=1 ./lto | FileCheck %s
// RUN: %cairn-cc -shared managed.o -o libmanaged.so && \
// RUN:   %cairn-cc main.o native.o libmanaged.so -Wl,-rpath,%t -o shared && env CAIRN_STRESS=1 ./shared | FileCheck %s
// CHECK: 5 15 9 15 3 9 7
//
// The names that managed code calls have no size, for debuggers.
// RUN: llvm-readelf -sW managed.o | FileCheck --check-prefix=NAMES %s
// NAMES-DAG: 0 FUNC WEAK DEFAULT {{.*}} cairn.managed_code.scaled
// NAMES-DAG: 0 NOTYPE GLOBAL HIDDEN {{.*}} cairn.body.scaled
//
// What is native after all does not link.
// RUN: clang -O2 -DMANAGED -DCAIRN_PLAIN -I%root/include -c %s -o wrong.o
// RUN: not %cairn-cc main.o wrong.o native.o -o wrong 2>&1 | FileCheck --check-prefix=WRONG %s
// RUN: not clang main.o wrong.o native.o -o wrong 2>&1 | FileCheck --check-prefix=WRONG %s
// WRONG: cairn.managed_code.scaled
//
// A definition that contradicts its declaration is refused; one that is declared managed is managed.
// RUN: not %cairn-cc -O2 -DCONTRADICTS -c %s -o c.o 2>&1 | FileCheck --check-prefix=CONTRADICTS %s
// CONTRADICTS: declared_kinds.c:[[#]]:{{.*}}@native is declared to be native (cairn_native), {{.*}} [declared-native]
#include <stdarg.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

#ifndef CAIRN_PLAIN
cairn_native extern long native(long n);
cairn_native extern int printf(const char *format, ...);
#ifndef MANAGED
cairn_native extern long not_native(long n);
#endif
cairn_managed_function extern long scaled(ref box, long n);
cairn_managed_function extern long variadic(ref box, ...);
cairn_managed_function extern long renamed(ref box, long n);
cairn_managed_function extern long without_references(long n);
#endif

#ifdef NATIVE
long native(long n)
{
  return n + 1;
}
#elif defined MANAGED
long scaled(ref box, long n)
{
  cairn_collect();
  return box->value * n;
}

long variadic(ref box, ...)
{
  va_list list;

  va_start(list, box);
  double factor = va_arg(list, double);
  long n = va_arg(list, long);
  va_end(list);
  cairn_collect();
  return box->value + (long)(factor * (double)n) + (box->value != 3);
}

long renamed(ref box, long n) __attribute__((alias("scaled")));

long not_native(long n)
{
  cairn_collect();
  return n - 1;
}

long without_references(long n)
{
  return n * n;
}
#elif defined CONTRADICTS
long native(long n)
{
  ref box = cairn_new(struct box);

  box->value = n;
  cairn_collect();
  return box->value;
}
#else
int main(void)
{
  ref box = cairn_new(struct box);

  box->value = 3;
  long n = native(4);
  printf("%ld %ld %ld %ld %ld %ld %g\n", n, scaled(box, n), variadic(box, 1.5, 4L), renamed(box, n), not_native(4),
         without_references(3), 7.0);
  return (int)(box->value - 3);
}
#endif
