; Field row 14: LLVM 22's passes know two strategy names. Ours goes by the attribute "cairn" as well, gives the
; function a strategy that the code generator knows, and leaves functions of other strategies alone.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: opt -passes=rewrite-statepoints-for-gc -S %s | FileCheck --check-prefix=LLVM %s
declare void @foo()
; LLVM-LABEL: @by_attribute
; LLVM-NOT: gc.statepoint
; CHECK-LABEL: define ptr addrspace(1) @by_attribute(
; CHECK-SAME: gc "statepoint-example"
; CHECK: gc.statepoint
; LLVM-LABEL: @coreclr
define ptr addrspace(1) @by_attribute(ptr addrspace(1) %p) "cairn" {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK-LABEL: define ptr addrspace(1) @coreclr(
; CHECK-SAME: gc "coreclr"
; CHECK: gc.statepoint
define ptr addrspace(1) @coreclr(ptr addrspace(1) %p) gc "coreclr" {
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK-LABEL: define ptr @other(
; CHECK-NOT: gc.statepoint
; CHECK: ret
define ptr @other(ptr %p) gc "shadow-stack" {
  call void @foo()
  ret ptr %p
}
