// Who is managed: every definition of a C file, but what the program says is native. Marking a
// naked function would put a poll into hand-written assembly; marking a native one would stop it
// inside a signal handler.
// RUN: clang -O0 -fexceptions -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p prepare -S %t.bc | FileCheck %s
// RUN: %cairn opt -p prepare -S %t.bc | FileCheck %s --check-prefix=MARKED
#include <cairn/cairn.h>

// optnone goes: the code generator's fix-up pass for references in registers skips such functions.
// CHECK: define {{.*}}@plain({{.*}}) #[[PLAIN:[0-9]+]] gc "statepoint-example"
// CHECK-NOT: alloca
// MARKED-NOT: gc "
int plain(int n)
{
  int twice = 2 * n;
  return twice;
}

// CHECK: define {{.*}}@native() #{{[0-9]+}} {
// Inlining @plain here would make @native managed.
// CHECK: call i32 @plain(i32 noundef 1) #[[SITE:[0-9]+]]
cairn_unmanaged int native(void)
{
  return plain(1);
}

int elsewhere(int n);
int outer(int n)
{
  return elsewhere(n);
}

// CHECK: define {{.*}}@guarded()
// CHECK: invoke i32 @outer(i32 noundef 2) #[[SITE]]
void done(int *count);
cairn_unmanaged int guarded(void)
{
  __attribute__((cleanup(done))) int count = 0;
  return outer(2);
}

// The optimiser may find that the pointer leads to @plain.
// CHECK: define {{.*}}@through()
// CHECK: call i32 %{{[0-9]+}}(i32 noundef 3) #[[SITE]]
static int (*pointer)(int) = plain;
cairn_unmanaged int through(void)
{
  return pointer(3);
}

// CHECK: define {{.*}}@bare() #{{[0-9]+}} {
__attribute__((naked)) void bare(void)
{
  __asm__("ret");
}
// CHECK-DAG: attributes #[[SITE]] = { noinline }
// CHECK-NOT: attributes #[[PLAIN]] = {{.*}}optnone
