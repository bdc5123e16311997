; Field row 17: LLVM 22 puts a poll into every trip of a loop that it cannot count in 32 bits, which ruins a
; tight one. Ours is cut into chunks: the loop itself stays without, and polls after each chunk.
; RUN: opt -passes='function(place-safepoints)' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints %s -o /dev/null
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
; LLVM: {{^}}loop:
; LLVM: call void @do_safepoint()
; LLVM-NEXT: br i1 %c, label %loop, label %out
; CHECK-LABEL: define void @fill
; CHECK: {{^}}loop:
; CHECK-NOT: call
; CHECK: br i1 %chunk.ends, label %loop
; CHECK: call void @do_safepoint()
; CHECK-NEXT: br label %chunk
define void @fill(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %q
  %next = add nuw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
