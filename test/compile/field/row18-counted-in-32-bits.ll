; Field row 18: LLVM 22 exempts every loop whose trips can be counted in 32 bits, so this one runs for seconds
; without a poll. Ours goes by the work that a loop does.
; RUN: opt -passes='function(place-safepoints)' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints %s -o /dev/null
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
; LLVM-LABEL: define void @long
; LLVM: call void @do_safepoint()
; LLVM-NOT: @do_safepoint
; LLVM: ret void
; CHECK-LABEL: define void @long
; CHECK: call void @do_safepoint()
; CHECK: {{^}}loop:
; CHECK: call void @do_safepoint()
; CHECK: ret void
define void @long(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr addrspace(1) %p
  %next = add nuw i32 %i, 1
  %c = icmp ult i32 %next, 4000000000
  br i1 %c, label %loop, label %out
out:
  ret void
}
