; Described allocas (abi.def): each reference of each element becomes part of an area; the user's
; own deopt operands before the description are left alone. A lost area is a stale local variable.
; RUN: llc -O3 -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true \
; RUN:   -relocation-model=pic -filetype=obj %s -o %t.raw.o
; RUN: %cairn frames --rewrite %t.raw.o -o %t.o
; RUN: %cairn frames %t.o | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @g()

; CHECK-LABEL: function two:
; CHECK-NEXT: cfa rsp + [[#]]
; CHECK-NEXT: area [rsp + [[#ONE:]]], count 3, stride 24
; CHECK-NEXT: area [rsp + [[#ONE+16]]], count 3, stride 24
; CHECK-NEXT: area [rsp + [[#]]], count 1, stride 8
; CHECK-NOT: area
define void @two() uwtable gc "statepoint-example" {
  %x = alloca [3 x {ptr addrspace(1), i64, ptr addrspace(1)}]
  %y = alloca ptr addrspace(1)
  store [3 x {ptr addrspace(1), i64, ptr addrspace(1)}] zeroinitializer, ptr %x
  store ptr addrspace(1) null, ptr %y
  call void asm sideeffect "", "r,r,~{memory}"(ptr %x, ptr %y)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) ["deopt"(i32 9, ptr %x, i64 1234567890123, i64 4846245170083810383, i64 2, ptr %x, i64 3, i64 24, i64 2, i64 0, i64 16, ptr %y, i64 1, i64 8, i64 1, i64 0, i64 13)]
  ret void
}
