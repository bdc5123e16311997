; Field row 3: an object on the stack in the managed address space. LLVM 22 crashes; it never moves,
; so ours neither lists nor relocates it.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @foo()
; CHECK-NOT: gc-live
; CHECK-NOT: gc.relocate
; CHECK: ret i64
define i64 @f() gc "statepoint-example" {
  %object = alloca i64, addrspace(1)
  store i64 1, ptr addrspace(1) %object
  call void @foo()
  %v = load i64, ptr addrspace(1) %object
  ret i64 %v
}
