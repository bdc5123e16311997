; Field row 16: to LLVM 22 every call is a safepoint and every function polls, unless a front end writes
; "gc-leaf-function" by hand. Ours finds out, and says so to other units.
; RUN: opt -passes='function(place-safepoints),rewrite-statepoints-for-gc' -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}

; LLVM-LABEL: define i64 @get
; LLVM: gc.statepoint{{.*}}@do_safepoint
; LLVM-LABEL: define i64 @twice
; LLVM: gc.statepoint{{.*}}@do_safepoint
; LLVM: gc.statepoint{{.*}}@get
; LLVM: gc.statepoint{{.*}}@get
; CHECK-LABEL: define i64 @get
; CHECK-SAME: [[LEAF:#[0-9]+]]
; CHECK-NOT: gc.statepoint
; CHECK-LABEL: define i64 @twice
; CHECK-NOT: gc.statepoint
; CHECK: ret i64
; CHECK: attributes [[LEAF]] = {{.*}}"gc-leaf-function"
define i64 @get(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define i64 @twice(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = call i64 @get(ptr addrspace(1) %p)
  %b = call i64 @get(ptr addrspace(1) %p)
  %c = add i64 %a, %b
  ret i64 %c
}
