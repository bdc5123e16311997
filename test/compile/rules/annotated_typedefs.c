// The annotations of functions on everything that names a function's type: typedefs, pointers, members and parameters.
// Clang keeps none of them there, so each is an error, also with -w. Wrong: a cairn_nopoll function that polls.
// RUN: for a in leaf native managed_function unmanaged nopoll; do for form in 1 2 3 4 5 6 7 8; do \
// RUN:   not %cairn-cc -w -fsyntax-only -I%root/include -DA=cairn_$a -DFORM=$form %s 2>&1 | \
// RUN:   FileCheck --check-prefix=REFUSED %s || exit 1; done; done
// REFUSED: annotated_typedefs.c:{{.*}} error: '__no_split_stack__' attribute only applies to functions
// On a name that a typedef or __typeof__ declares, they hold, as on any declaration.
// RUN: for form in 11 12 13 14; do for a in leaf native managed_function; do \
// RUN:   %cairn-cc -O1 -S -emit-llvm -I%root/include -DA=cairn_$a -DFORM=$form %s -o %t.$a.ll || exit 1; \
// RUN: done && \
// RUN:   FileCheck --check-prefix=LEAF %s < %t.leaf.ll && \
// RUN:   FileCheck --check-prefix=NATIVE %s < %t.native.ll && \
// RUN:   FileCheck --check-prefix=MANAGED %s < %t.managed_function.ll || exit 1; done
// RUN: for form in 11 12 13 14; do for a in unmanaged nopoll; do \
// RUN:   %cairn-cc -O1 -S -emit-llvm -I%root/include -DBODY -DA=cairn_$a -DFORM=$form %s -o %t.$a.ll || exit 1; \
// RUN: done && \
// RUN:   FileCheck --check-prefix=UNMANAGED %s < %t.unmanaged.ll && \
// RUN:   FileCheck --check-prefix=NOPOLL %s < %t.nopoll.ll || exit 1; done
// LEAF: call i64 @f(
// NATIVE-NOT: cairn.call.f
// NATIVE: cairn.slow.cairn_call_short
// MANAGED: @cairn.body.f(
// UNMANAGED: define{{.*}} i64 @f(i64 {{[^"]*}} {
// NOPOLL: define{{.*}} i64 @f({{.*}} gc "statepoint-example"
// NOPOLL-NOT: cairn_poll
// NOPOLL: {{^}}}
// After the definition it is too late, and clang says so.
// RUN: for a in unmanaged nopoll; do \
// RUN:   %cairn-cc -O1 -c -I%root/include -DBODY -DA=cairn_$a -DFORM=15 %s -o %t.o 2>&1 | \
// RUN:   FileCheck --check-prefix=LATE %s || exit 1; done
// LATE: warning: attribute declaration must precede definition
#include <cairn/cairn.h>
struct node {
  struct node managed *next;
  long value;
};
typedef long plain(long);
long g(long n);
#if FORM == 1
typedef A long function(long);
#elif FORM == 2
typedef long function(long) A;
#elif FORM == 3
typedef A long (*pointer)(long);
#elif FORM == 4
typedef A plain function;
#elif FORM == 5
extern A long (*variable)(long);
#elif FORM == 6
struct with_pointer {
  A long (*member)(long);
};
#elif FORM == 7
void takes(A long (*parameter)(long));
#elif FORM == 8
typedef A __typeof__(g) function;
#elif FORM == 11
A plain f;
#elif FORM == 12
A __typeof__(g) f;
#elif FORM == 13
plain f A;
#elif FORM == 14
A long h(long), f(long);
#endif
#if FORM > 10
#if FORM == 15
long f(long n);
#endif
#ifdef BODY
long f(long n)
{
  long sum = 0;
  for (long i = 0; i < n; i++) {
    sum += i * sum;
    __asm__ volatile("" ::: "memory");
  }
  return sum;
}
#endif
struct node managed *use(struct node managed *node)
{
  node->value = f(node->value);
  return node;
}
#if FORM == 15
A long f(long n);
#endif
#endif
