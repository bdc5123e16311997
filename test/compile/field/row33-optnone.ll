; Field row 33: the code generator's pass that moves roots to where the walker finds them skips functions
; marked optnone. Ours takes the mark off managed functions, and off no other.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
declare void @foo()
; CHECK-LABEL: define ptr addrspace(1) @f(
; CHECK-SAME: [[MANAGED:#[0-9]+]] gc
; CHECK-LABEL: define ptr @native(
; CHECK-SAME: [[NATIVE:#[0-9]+]]
; CHECK-NOT: attributes [[MANAGED]] = {{.*}}optnone
; CHECK: attributes [[NATIVE]] = {{.*}}optnone
define ptr addrspace(1) @f(ptr addrspace(1) %p) optnone noinline uwtable gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}
define ptr @native(ptr %p) optnone noinline {
  call void @foo()
  ret ptr %p
}
