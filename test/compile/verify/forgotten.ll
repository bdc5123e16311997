; RUN: split-file %s %t
; RUN: not %cairn verify %t/one.ll 2>&1 | FileCheck %s
; RUN: %cairn verify %t/none.ll
; A function that the rewriter was not given, in a module that it was: its references are lost at each of its calls.
; CHECK: error: in function 'forgotten': call to @foo {{.*}} is no statepoint{{.*}} [missed-parse-point]
; CHECK-NOT: error

;--- one.ll
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define ptr addrspace(1) @forgotten(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}
define void @rewritten() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

;--- none.ll
; The whole module is still to be rewritten: nothing to verify.
declare void @foo()
define void @before(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  store i64 0, ptr addrspace(1) %p
  ret void
}
