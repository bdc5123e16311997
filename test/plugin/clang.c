/* Clang with the plugin alone: how C functions are managed, and errors that look like clang's. A
 * refusal must fail the compilation before the code generator sees the module, which may crash on
 * it. */
// UNSUPPORTED: sanitize
// DEFINE: %{clang} = clang -O2 -fpass-plugin=%build/lib/libcairn-plugin.so

/* Nothing is managed unless something says so. */
// RUN: %{clang} -S -emit-llvm %s -o - | FileCheck --check-prefix=NOTHING %s
// NOTHING-NOT: gc "statepoint-example"
// NOTHING-NOT: gc.statepoint

/* One function, by annotation. Without a runtime of Cairn's there is nothing of it but the poll. */
// RUN: %{clang} -DMARKED -S -emit-llvm %s -o - | FileCheck --check-prefix=MARKED %s
// RUN: %{clang} -O0 -DMARKED -S -emit-llvm %s -o - | FileCheck --check-prefix=MARKED %s
// MARKED-LABEL: define dso_local i64 @get({{.*}} gc "statepoint-example"
// MARKED: gc.statepoint
// MARKED-NOT: cairn_{{[^pm]}}
// MARKED-LABEL: define dso_local {{.*}} @other({{[^"]*$}}

/* All of them, with the rules for C sources. */
// RUN: %{clang} -mllvm -cairn=manage-all -S -emit-llvm %s -o - | FileCheck --check-prefix=ALL %s
// ALL-LABEL: define dso_local {{.*}} @get({{.*}} gc "statepoint-example"
// ALL-LABEL: define dso_local {{.*}} @other({{.*}} gc "statepoint-example"
// RUN: not %{clang} -g -mllvm -cairn=manage-all -DBAD -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=BAD %s
// BAD: clang.c:{{[0-9]+}}:{{[0-9]+}}: error: a reference is converted to an integer, {{.*}} [reference-to-integer]
// BAD-NEXT: long x = (long)p;
// BAD: 1 error generated

/* Even where code generation would fail on what was refused. */
// RUN: not %{clang} -c %S/Inputs/mystery.ll -o %t.o 2> %t.err
// RUN: FileCheck --check-prefix=MYSTERY %s < %t.err
// MYSTERY: error: {{.*}}in function mystery {{.*}} [operand-bundle]
// MYSTERY-NOT: Stack dump
// RUN: not ls %t.o

/* A link-time optimiser would have to do the rest. */
// RUN: not %{clang} -DMARKED -flto -c %s -o %t.o 2>&1 | FileCheck --check-prefix=LTO %s
// LTO: error: managed code cannot be left to a link-time optimiser: compile it without -flto
// RUN: %{clang} -flto -c %s -o %t.o

// Nor code that the code generator is to put into several sections:
// RUN: for option in -fbasic-block-sections=all -fsplit-machine-functions '-mllvm -enable-split-machine-functions'; do \
// RUN:   not %{clang} -DMARKED $option -c %s -o %t.o 2>&1 | FileCheck --check-prefix=SPLIT %s && \
// RUN:   %{clang} $option -c %s -o %t.o || exit 1; done
// SPLIT-NOT: Cannot represent
// SPLIT: error: managed functions are not split: compile them without -fbasic-block-sections and -fsplit-machine-functions
// SPLIT-NOT: Cannot represent

#ifdef MARKED
#define cairn __attribute__((annotate("cairn")))
#else
#define cairn
#endif
typedef long __attribute__((address_space(1))) *reference;
void foo(void);

cairn long get(reference p, reference q)
{
  long sum = 0;
  for (reference r = p; r != q; r++) {
    foo();
    sum += *r + (r - p);
  }
  return sum;
}

long other(long x)
{
  foo();
  return x;
}

#ifdef BAD
long bad(reference p)
{
  long x = (long)p;
  foo();
  return x;
}
#endif
