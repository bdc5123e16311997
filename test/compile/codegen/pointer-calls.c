// RUN: %cairn-cc -O2 -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc -O0 -fno-pie -S %s -o - | FileCheck %s --check-prefix=PROMISED
// A call through a pointer costs a compare with the mark and a branch, or a conditional move; one that
// is promised to be managed, nothing.
#include <cairn/cairn.h>

struct closure {
  long (*code)(struct closure managed *self, long x);
  long value;
  struct closure managed *next;
};

// CHECK-LABEL: {{^}}looks:
// CHECK: movq (%rdi), %r10
// CHECK: movq %r10, [[PLACE:%r[a-z0-9]+]]
// CHECK-NEXT: andq $-16, [[PLACE]]
// CHECK-NEXT: movabsq $5643653827705430469, [[MARK:%r[a-z0-9]+]]
// CHECK-NEXT: cmpq [[MARK]], ([[PLACE]])
// CHECK: cairn.slow.cairn_call_managed
// CHECK: callq *%r
long looks(struct closure managed *closure)
{
  return closure->code(closure, 1) + closure->value;
}

// CHECK-LABEL: {{^}}promised:
// CHECK-NOT: movabsq
// CHECK: callq *%r
// PROMISED-LABEL: {{^}}promised:
// PROMISED-NOT: movabsq
// PROMISED: callq *
// PROMISED: .Lfunc_end
long promised(struct closure managed *closure)
{
  return cairn_managed_callee(closure->code)(closure, 1) + closure->value;
}

// CHECK-LABEL: {{^}}jumps:
// CHECK-NOT: callq {{.*(\*|managed)}}
// CHECK: jmpq *%r{{.*}} # TAILCALL
long jumps(struct closure managed *closure)
{
  return closure->code(closure, 1);
}

// At -O3 in a loop, too, the call waits for no mark.
// RUN: %cairn-cc -O3 -fno-pie -S %s -o - | FileCheck %s --check-prefix=BRANCH
// BRANCH-LABEL: {{^}}each:
// BRANCH: cmpq [[MARK:%r[a-z0-9]+]], ([[PLACE:%r[a-z0-9]+]])
// BRANCH-NEXT: jne
// BRANCH-NOT: cmov
// BRANCH: callq *%r
long each(struct closure managed *closure, long x)
{
  for (; closure; closure = closure->next)
    x = closure->code(closure, x);
  return x;
}

// Where indirect calls go through thunks, the stub makes them.
// RUN: %cairn-cc -O2 -fno-pie -mretpoline -S %s -o - | FileCheck %s --check-prefix=THUNKS
// THUNKS-LABEL: {{^}}looks:
// THUNKS: callq cairn.slow.cairn_call_managed
