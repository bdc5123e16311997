; Mitigations with which LLVM 22's code generator ends the process at a statepoint: refused by name.
; Wrong: "LLVM ERROR" and no place. With a feature taken back, or nothing that collects, all is well.
; RUN: split-file %s %t
; RUN: not %cairn opt -p rewrite-statepoints %t/refused.ll -o /dev/null 2>&1 | FileCheck %t/refused.ll
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints %t/fine.ll | llc -O2 -filetype=obj -o /dev/null
; RUN: not %cairn-cc -O2 -mspeculative-load-hardening -c %t/c.c -o /dev/null 2>&1 | FileCheck --check-prefix=C %s
; C: c.c:4:{{[0-9]+}}: error: in function 'sum': {{.*}}[hardening]

;--- refused.ll
declare void @foo()
; CHECK: in function 'loads': call to @foo: LLVM 22 cannot lower a safepoint in a function with speculative load hardening{{.*}}[hardening]
; CHECK-NOT: 'loads'
define void @loads(ptr addrspace(1) %p) speculative_load_hardening gc "statepoint-example" {
  call void @foo()
  call void @foo()
  ret void
}
; CHECK: in function 'retpoline': indirect call: {{.*}}[hardening]
define void @retpoline(ptr %f) "target-features"="+sse2,+retpoline-indirect-calls,+x87" gc "statepoint-example" {
  call void %f()
  ret void
}
; CHECK: in function 'thunk': indirect call: {{.*}}[hardening]
define void @thunk(ptr %f) "target-features"="-lvi-cfi,+lvi-cfi" gc "statepoint-example" {
  call void %f()
  ret void
}
; CHECK-NOT: error

;--- fine.ll
declare void @foo()
declare void @leaf() "gc-leaf-function"
define void @loads(ptr addrspace(1) %p) speculative_load_hardening gc "statepoint-example" {
  call void @leaf()
  ret void
}
define void @direct() "target-features"="+retpoline-indirect-calls" gc "statepoint-example" {
  call void @foo()
  ret void
}
define void @taken_back(ptr %f) "target-features"="+lvi-cfi,-lvi-cfi" gc "statepoint-example" {
  call void %f()
  ret void
}

;--- c.c
#include <cairn/cairn.h>
typedef struct node { struct node managed *next; long v; } node;
extern long work(long);
long sum(node managed *n) { long s = 0; while (n) { s += work(n->v); n = n->next; } return s; }
