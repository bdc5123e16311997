; Field row 20: the entry poll comes before locals have their first values. With LLVM 22 locals in memory are
; not described at all; ours are, and hold null before the first parse point, which is the entry poll.
; RUN: opt -passes='function(place-safepoints),rewrite-statepoints-for-gc' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
declare void @fill(ptr)
; LLVM-LABEL: define ptr addrspace(1) @f
; LLVM: %local = alloca
; LLVM-NEXT: call token {{.*}}@do_safepoint
; CHECK-LABEL: define ptr addrspace(1) @f
; CHECK: %local = alloca
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 8 %local, i8 0, i64 32, i1 false)
; CHECK: call token {{.*}}@do_safepoint{{.*}}[ "deopt"({{.*}}ptr %local
; CHECK: call token {{.*}}@fill{{.*}}[ "deopt"({{.*}}ptr %local
define ptr addrspace(1) @f() gc "statepoint-example" {
entry:
  %local = alloca { ptr addrspace(1), i64, [2 x ptr addrspace(1)] }
  call void @fill(ptr %local)
  %v = load ptr addrspace(1), ptr %local
  ret ptr addrspace(1) %v
}
