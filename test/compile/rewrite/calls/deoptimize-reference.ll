; Deoptimisation in a function that returns a reference. What would go wrong: it is refused, since the
; base of what an unknown intrinsic returns is not known; this one's result is returned at once.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare ptr addrspace(1) @llvm.experimental.deoptimize.p1(...)

; CHECK-LABEL: @leave(
; CHECK: call token {{.*}}@__llvm_deoptimize{{.*}} [ "deopt"(ptr addrspace(1) %p, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16387, i64 5)
define ptr addrspace(1) @leave(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call ptr addrspace(1) (...) @llvm.experimental.deoptimize.p1(i32 7) [ "deopt"(ptr addrspace(1) %p) ]
  ret ptr addrspace(1) %r
}
