// Large structs with references by value, on AArch64, for which clang passes the address of a copy without a type.
// Wrong: native code is given the address, a call with musttail the address of a copy that is gone, or a va_list,
// and the compiler says nothing; or a unit refers to managed code that the unit of the definition does not export.
// REQUIRES: aarch64-runtime
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -DERROR=0 -c %s -o %t.o && llvm-nm %t.o | FileCheck %s
// CHECK-DAG: U cairn.managed_code.passed
// CHECK-DAG: W cairn.managed_code.taken
// RUN: for e in 1 2 3 4 5; do not %cairn-cc --target=aarch64-linux-gnu -O2 -DERROR=$e -c %s -o %t.o 2>&1 \
// RUN:   || exit 1; done | \
// RUN:   FileCheck --check-prefix=ERROR %s
// ERROR: error: in function 'f': {{.*}} [byval-reference]
// ERROR: error: in function 'f': {{.*}} [variadic-reference]
// ERROR: error: in function 'f': {{.*}} [reference-to-native]
// ERROR: error: in function 'f': {{.*}} [va-arg-reference]
// ERROR: error: in function 'f': {{.*}} [va-arg-reference]
#include <stdarg.h>
#include <cairn/cairn.h>

typedef long managed *ref;
struct large {
  ref a, b;
  long c;
};
long passed(struct large l), variadic(int n, ...);
cairn_native long native(struct large l);

#if ERROR == 1
long f(struct large l)
{
  __attribute__((musttail)) return passed(l);
}
#elif ERROR == 2
long f(struct large *l)
{
  return variadic(1, *l);
}
#elif ERROR == 3
long f(struct large *l)
{
  return native(*l);
}
#elif ERROR == 4
long f(int n, ...)
{
  va_list list;
  va_start(list, n);
  return *va_arg(list, ref);
}
#elif ERROR == 5
long f(int n, ...)
{
  va_list list;
  va_start(list, n);
  struct large l = va_arg(list, struct large);
  return *l.a;
}
#else
long taken(struct large l)
{
  return l.c;
}
long f(struct large *l)
{
  return passed(*l);
}
#endif
