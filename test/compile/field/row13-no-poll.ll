; Field row 13: no @gc.safepoint_poll in the module. LLVM 22 crashes; ours has a poll of its own.
; RUN: not --crash opt -passes='function(place-safepoints)' -S %s -o /dev/null
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; CHECK: cairn_poll_slow
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %v = load volatile i1, ptr addrspace(1) %p
  br i1 %v, label %loop, label %done
done:
  ret void
}
