; Field row 19: LLVM 22 exempts a loop in which each trip makes a call, though what is called may never come to
; a safepoint. Ours asks that it surely does.
; RUN: opt -passes='function(place-safepoints)' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
declare void @never_polls()
; LLVM-LABEL: define void @calls
; LLVM: {{^}}loop:
; LLVM-NOT: @do_safepoint
; LLVM: ret void
; CHECK-LABEL: define void @calls
; CHECK: {{^}}loop:
; CHECK-NEXT: call void @do_safepoint()
; CHECK: ret void
define void @calls(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  call void @never_polls()
  %v = load volatile i1, ptr addrspace(1) %p
  br i1 %v, label %loop, label %out
out:
  ret void
}
