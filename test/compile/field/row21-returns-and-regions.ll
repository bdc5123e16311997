; Field row 21: LLVM 22 has no polls before tail calls and none at returns, and nothing keeps a poll out of the
; loop between a store and its mark. Ours has both as options, and regions, which the verifier holds.
; RUN: opt -passes='function(place-safepoints)' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt --polls=backedge,return,tail-call -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --polls=backedge,return,tail-call -p place-safepoints,rewrite-statepoints,verify-safepoints %s -o /dev/null
; RUN: opt -passes='function(place-safepoints)' -S %s | not %cairn opt -p rewrite-statepoints,verify-safepoints -S - -o /dev/null 2>&1 \
; RUN:   | FileCheck --check-prefix=FOUND %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
declare void @foo()
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
; LLVM-LABEL: define void @tail
; LLVM-NEXT: call void @do_safepoint()
; LLVM-NEXT: musttail call void @tail()
; CHECK-LABEL: define void @tail
; CHECK-NEXT: call void @do_safepoint()
; CHECK-NEXT: musttail call void @tail()
; CHECK-NEXT: ret void
define void @tail() gc "statepoint-example" {
  musttail call void @tail()
  ret void
}
; LLVM-LABEL: define void @returns
; LLVM-NEXT: call void @do_safepoint()
; LLVM-NEXT: call void @foo()
; LLVM-NEXT: ret void
; CHECK-LABEL: define void @returns
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: call void @do_safepoint()
; CHECK-NEXT: ret void
define void @returns() gc "statepoint-example" {
  call void @foo()
  ret void
}
; The search of a card table, say. LLVM's poll in it is a finding; ours is not there.
; LLVM-LABEL: define void @barrier
; LLVM: {{^}}search:
; LLVM: call void @do_safepoint()
; CHECK-LABEL: define void @barrier
; CHECK: call void @cairn.nopoll.begin()
; CHECK-NOT: @do_safepoint
; CHECK: call void @cairn.nopoll.end()
; FOUND: in function 'barrier': {{.*}}@do_safepoint{{.*}} is a safepoint in a region that must have none [nopoll-safepoint]
define void @barrier(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr %card) gc "statepoint-example" {
entry:
  call void @cairn.nopoll.begin()
  store ptr addrspace(1) %q, ptr addrspace(1) %p
  br label %search
search:
  %at = phi ptr [ %card, %entry ], [ %next, %search ]
  %v = load i8, ptr %at
  %free = icmp eq i8 %v, 0
  %next = getelementptr i8, ptr %at, i64 1
  br i1 %free, label %mark, label %search
mark:
  store i8 1, ptr %at
  call void @cairn.nopoll.end()
  ret void
}
