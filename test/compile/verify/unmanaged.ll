; `cairn verify` says what it did not look at: exit status 1 if that has references or safepoints.
; RUN: split-file %s %t
; RUN: not %cairn verify %t/unseen.ll 2>&1 | FileCheck %t/unseen.ll
; RUN: %cairn verify %t/harmless.ll 2>&1 | FileCheck %t/harmless.ll
; RUN: %cairn verify %t/early.ll 2>&1 | FileCheck %t/early.ll
; RUN: %cairn opt -p rewrite-statepoints -S %t/early.ll | %cairn verify - 2>&1 | FileCheck --allow-empty --check-prefix=QUIET %s
; RUN: %cairn verify --json %t/harmless.ll | FileCheck --check-prefix=JSON %s
; QUIET-NOT: {{.}}
; JSON: {"severity": "warning", "module": "{{.*}}harmless.ll", "rule": "not-verified", "function": "roots"

;--- unseen.ll
declare void @foo()
; CHECK-DAG: error: in function 'theirs': gc strategy "ocaml" is unknown to Cairn: the function was left unchecked, and has references or safepoints [not-verified]
define i64 @theirs(ptr addrspace(1) %p) gc "ocaml" {
  call void @foo()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
; CHECK-DAG: error: in function 'forgotten': reference %p is kept over the call to @foo{{.*}}[unmanaged-function]
define i64 @forgotten(ptr addrspace(1) %p) {
  call void @foo()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
; CHECK-DAG: error: in function 'local': {{.*}}[unmanaged-function]
define void @local(ptr addrspace(1) %p) {
  %a = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %a
  call void @foo()
  ret void
}

;--- harmless.ll
; CHECK: warning: in function 'roots': gc strategy "shadow-stack" is unknown to Cairn: the function was left unchecked [not-verified]
; CHECK-NOT: {{.}}
define void @roots(ptr %p) gc "shadow-stack" {
  ret void
}
; Reads an object, and calls nothing that may collect.
define i64 @reader(ptr addrspace(1) %p) {
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

;--- early.ll
declare void @foo()
; CHECK: warning: no function of the module has a safepoint: nothing was checked
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
