; The test in line of a store to the caller's frame counts from the end of the function's frame. On AArch64 the return
; address lies anywhere in the frame. What would go wrong: the test accepts words beside the described places.
; RUN: %cairn opt -p check-stores -S %s | FileCheck %s
; RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -S %s -o - | FileCheck %s --check-prefix=CODE
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32-ni:1"
target triple = "aarch64-unknown-linux-gnu"

; CHECK-LABEL: define void @parameter
; CHECK: call ptr @llvm.addressofreturnaddress.p0()
; CHECK: [[END:%.*]] = call ptr @llvm.sponentry.p0()
; CHECK: [[WORD:%.*]] = ptrtoint ptr [[END]] to i64
; CHECK: sub i64 %{{.*}}, [[WORD]]
; CODE-LABEL: parameter:
; CODE: stp {{.*}}x29, x30, [sp, #-[[#BYTES:]]]!
; CODE: add {{.*}}, x29, #[[#BYTES]]{{$}}
define void @parameter(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}
