// A reference that native code would get: the linker says so of a call by name, the program of one through a pointer
// or to another shared object's function. Managed code gets it by each of these ways.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %cairn-cc -O2 -fPIC -DMANAGED -c %s -o managed.o
// RUN: clang -O2 -fPIC -DMANAGED -DCAIRN_PLAIN -I%root/include -c %s -o native.o
// RUN: %cairn-cc -O2 -c %s -o main.o
// RUN: %cairn-cc main.o managed.o -o ok && env CAIRN_STRESS=1 ./ok | FileCheck %s \
// RUN:   && env CAIRN_STRESS=1 ./ok pointer | FileCheck %s
// CHECK: 42 42
//
// RUN: not %cairn-cc main.o native.o -o wrong 2>&1 | FileCheck --check-prefix=LINK %s
// RUN: not %cairn-cc -fuse-ld=lld main.o native.o -o wrong 2>&1 | FileCheck --check-prefix=LINK %s
// LINK: undefined {{.*}}cairn.managed_code.value_of
// LINK: cairn-cc: note: a call of `value_of` passes or returns a reference, and no managed code is linked that defines it
// LINK-NOT: a call of `value_of`
//
// RUN: %cairn-cc -O2 -DPOINTERS -c %s -o pointers.o && %cairn-cc pointers.o native.o -o pointers
// RUN: ./pointers 1 && not --crash ./pointers pointer 2>&1 | FileCheck --check-prefix=POINTER %s
// RUN: %cairn-cc -Oz -DPOINTERS -c %s -o small.o && %cairn-cc small.o native.o -o small
// RUN: ./small 1 && not --crash ./small pointer 2>&1 | FileCheck --check-prefix=POINTER %s
// RUN: not --crash ./pointers variadic 1 2>&1 | FileCheck --check-prefix=VARIADIC %s
// RUN: not --crash ./pointers variadic 1 2 2>&1 | FileCheck --check-prefix=WEAK %s
// POINTER: cairn: fatal: the call before pc {{.*}} (main+{{.*}}) passes a reference to or from native code at {{.*}} (value_of+0x0){{.*}}cairn_leaf
// VARIADIC: (main+{{.*}}) passes a reference to or from native code at {{.*}} (variadic+0x0)
// WEAK: (main+{{.*}}) passes a reference to or from native code at {{.*}} (maybe+0x0)
//
// Without safepoints nothing is ever collected: functions have no mark, and may have any callers.
// RUN: %cairn-cc -O2 -fcairn-safepoints=none -DMANAGED -c %s -o none.o && %cairn-cc main.o none.o -o none
// RUN: ./none | FileCheck %s && ./none pointer | FileCheck %s
//
// A shared object whose function is managed when the program is linked, and native when it runs.
// RUN: %cairn-cc -shared managed.o -o libvalue.so && %cairn-cc main.o libvalue.so -Wl,-rpath,%t \
// RUN:   -Wl,--fatal-warnings -o shared
// RUN: env CAIRN_STRESS=1 ./shared | FileCheck %s
// RUN: clang -shared native.o -o libvalue.so && { ./shared 2>&1 || true; } | FileCheck --check-prefix=SHARED %s
// SHARED: undefined symbol: cairn.managed_code.value_of
// RUN: not %cairn-cc main.o libvalue.so -o wrong 2>&1 | FileCheck --check-prefix=LINK %s
#include <stdarg.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
extern long value_of(struct box managed *box);
extern long variadic(struct box managed *box, ...);
__attribute__((weak)) extern long maybe(struct box managed *box);

#ifdef MANAGED
long value_of(struct box managed *box)
{
  return box->value;
}

long variadic(struct box managed *box, ...)
{
  return box->value;
}

long maybe(struct box managed *box)
{
  return box->value;
}
#elif defined POINTERS
int main(int argc, char **argv)
{
  long (*volatile one)(struct box managed *) = value_of;
  long (*volatile any)(struct box managed *, ...) = variadic;
  struct box managed *box = cairn_new(struct box);

  if (argc == 2 && argv[1][0] == 'p')
    return (int)one(box);
  if (argc == 3)
    return (int)any(box, 1);
  if (argc == 4)
    return (int)maybe(box);
  return 0;
}
#else
int main(int argc, char **argv)
{
  long (*volatile one)(struct box managed *) = value_of;
  long (*volatile any)(struct box managed *, ...) = variadic;
  struct box managed *box = cairn_new(struct box);

  box->value = 42;
  if (argc > 1)
    printf("%ld %ld\n", one(box), any(box, 1.5));
  else
    printf("%ld %ld\n", maybe ? value_of(box) + maybe(box) - 42 : 0, variadic(box, 1.5));
  return 0;
}
#endif
