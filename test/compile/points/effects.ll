; A point keeps what it gets, and may leave the function for good. What could go wrong: an object that a point gets
; becomes a local, or is freed; the allocation pointer stays in a register over a point; a barrier is demanded of a point,
; or missing at its result.
; RUN: %cairn opt -S %s -o %t.ll \
; RUN:   -p escape,free-dead-arrays,layouts,allocate,insert-barriers,verify-barriers,rewrite-statepoints,verify-safepoints,promote-allocation-pointer
; RUN: FileCheck %s < %t.ll
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=snapshot --disable-output %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads --disable-output %s
; RUN: %cairn opt --print=calls --disable-output %s 2>&1 | FileCheck --check-prefix=CALLS %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare ptr addrspace(1) @llvm.experimental.patchpoint.p1(i64, i32, ptr, i32, ...)
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
%pair = type { i64, i64 }
@pair = internal constant %pair zeroinitializer
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer

; CALLS: leaf: {{.*}}stackmap
; CALLS: leaf: {{.*}}patchpoint

; Both objects stay objects. (Without the points, they become locals.)
; CHECK-LABEL: define void @kept(
; CHECK-NOT: = alloca
; CHECK: @cairn_alloc_slow,
; CHECK: stackmap(i64 1,
; CHECK: @cairn_alloc_slow,
; CHECK: patchpoint.void(i64 2,
; CHECK: ret void
define void @kept() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, ptr addrspace(1) %a)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 2, i32 16, ptr null, i32 1, ptr addrspace(1) %b)
  ret void
}

; An array that only its function knows is told free at its last use; one that a point got is not.
; CHECK-LABEL: define i64 @known(
; CHECK: cairn_give_back
; CHECK-LABEL: define i64 @shown(
; CHECK-NOT: cairn_give_back
; CHECK: ret i64
define i64 @known(i64 %i) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @pair, i64 4000)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define i64 @shown(i64 %i) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @pair, i64 4000)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 8, ptr addrspace(1) %a)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; After a point the allocation pointer is loaded again.
; CHECK-LABEL: define ptr addrspace(1) @pointer(
; CHECK: stackmap(i64 4,
; CHECK: load i64, ptr
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @pointer() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 4, i32 8)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %s = getelementptr i64, ptr addrspace(1) %b, i64 1
  store ptr addrspace(1) %a, ptr addrspace(1) %s
  ret ptr addrspace(1) %b
}

; A store into the result has a barrier; a point itself has none.
; CHECK-LABEL: define void @store(
; CHECK: patchpoint.p1
; CHECK: call void @cairn.barrier.store
; CHECK: ret void
define void @store(ptr addrspace(1) %p) gc "statepoint-example" {
  %q = call ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 5, i32 16, ptr null, i32 1, ptr addrspace(1) %p)
  store ptr addrspace(1) %p, ptr addrspace(1) %q
  ret void
}
