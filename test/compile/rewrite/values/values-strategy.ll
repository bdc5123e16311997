; Functions of the strategies "statepoint-example" and "coreclr" and those with attribute "cairn" are
; rewritten, and no others. Wrong: a function with the attribute alone would have statepoints that
; the code generator does not lower; a function of another collector would be changed.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints %s -o %t.bc
; RUN: llc %t.bc -o - | FileCheck %s --check-prefix=MAP
; RUN: sed 's/"cairn" personality/"cairn" gc "erlang" personality/' %s > %t.two.ll
; RUN: not %cairn opt -p rewrite-statepoints -S %t.two.ll 2>&1 | FileCheck %s --check-prefix=TWO
; TWO: error: in function 'attribute': {{.*}}"cairn" has gc "erlang"{{.*}} [gc-strategy]
; TWO-NOT: define
; MAP: .section .llvm_stackmaps
; MAP: .quad attribute
declare void @foo()
declare i32 @personality(...)

; CHECK: define ptr addrspace(1) @example({{.*}} gc "statepoint-example"
; CHECK: gc.statepoint
define ptr addrspace(1) @example(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK: define ptr addrspace(1) @clr({{.*}} gc "coreclr"
; CHECK: gc.statepoint
define ptr addrspace(1) @clr(ptr addrspace(1) %p) gc "coreclr" {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK: define ptr addrspace(1) @attribute({{.*}} gc "statepoint-example"
; CHECK: gc.statepoint
define ptr addrspace(1) @attribute(ptr addrspace(1) %p) "cairn" personality ptr @personality {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK: define ptr addrspace(1) @other({{.*}} gc "erlang"
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: ret ptr addrspace(1) %p
define ptr addrspace(1) @other(ptr addrspace(1) %p) gc "erlang" {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK: define ptr addrspace(1) @none(
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: ret ptr addrspace(1) %p
define ptr addrspace(1) @none(ptr addrspace(1) %p) {
  call void @foo()
  ret ptr addrspace(1) %p
}
