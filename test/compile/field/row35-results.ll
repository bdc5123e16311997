; Field row 35: the result's own attributes (zeroext, signext, ...) say what the callee guarantees, and stay;
; deoptimisation state goes over in its order, and what Cairn adds to it is marked at its end so that
; bundles that LLVM concatenates can be told apart (include/cairn/abi.def, "Described allocas").
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
declare i8 @small()
declare void @fill(ptr)
; CHECK-LABEL: define i64 @f(
; CHECK: call zeroext i8 @llvm.experimental.gc.result.i8(
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %b = call zeroext i8 @small()
  %w = zext i8 %b to i64
  %v = load i64, ptr addrspace(1) %p
  %s = add i64 %v, %w
  ret i64 %s
}
; CHECK-LABEL: define ptr addrspace(1) @state(
; CHECK: "deopt"(i32 7, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 [[MARK:[0-9-]+]], i64 1, ptr %root, i64 1, i64 8, i64 1, i64 0, i64 7)
define ptr addrspace(1) @state(ptr addrspace(1) %p) gc "statepoint-example" {
  %root = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %root
  call void @fill(ptr %root) [ "deopt"(i32 7) ]
  %q = load ptr addrspace(1), ptr %root
  ret ptr addrspace(1) %q
}
