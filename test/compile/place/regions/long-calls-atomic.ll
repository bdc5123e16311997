; Fills and copies whose elements are atomic. What could go wrong: a long one does not poll; a piece is taken for one of
; other elements, or begins within one.
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1), i8, i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)

; CHECK-LABEL: define void @fills(
; CHECK: statepoint{{.*}}@cairn.long.4.llvm.memset.element.unordered.atomic.p1.i64
; CHECK: statepoint{{.*}}@cairn.long.16.llvm.memset.element.unordered.atomic.p1.i64
define void @fills(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  call void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 4 %p, i8 0, i64 %n, i32 4)
  call void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 16 %p, i8 0, i64 %n, i32 16)
  ret void
}

; CHECK-LABEL: define void @copy(
; CHECK: statepoint{{.*}}@cairn.long.8.llvm.memmove.element.unordered.atomic.p0.p0.i64
define void @copy(ptr %p, ptr %q, i64 %n) gc "statepoint-example" {
  call void @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr align 16 %p, ptr align 16 %q, i64 %n, i32 8)
  ret void
}

; CHECK-LABEL: define internal void @cairn.long.4.llvm.memset
; CHECK: @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 4 %{{.*}}, i32 4)
; CHECK-LABEL: define internal void @cairn.long.16.llvm.memset
; CHECK: @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 16 %{{.*}}, i32 16)
; CHECK-LABEL: define internal void @cairn.long.8.llvm.memmove
; CHECK: @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr align 8 %{{.*}}, ptr align 8 %{{.*}}, i32 8)
; CHECK: @llvm.memmove.element.unordered.atomic.p0.p0.i64(ptr align 8 %{{.*}}, ptr align 8 %{{.*}}, i32 8)
