; References are arguments, live values and results of points like those of any leaf: the point gets the value of its
; place, and safepoints around it relocate what lives on. A stale one is an error.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,describe-points -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,describe-points --slots=always -S %s | FileCheck --check-prefix=SLOTS %s
; RUN: for o in 0 1 2 3; do llc -O$o -filetype=obj -enable-patchpoint-liveness=false %t.ll -o %t.o && llvm-readobj --stackmap %t.o > %t.map && FileCheck --check-prefix=MAP %s < %t.map || exit 1; done
; RUN: not %cairn verify %S/Inputs/stale.ll 2>&1 | FileCheck --check-prefix=STALE %s
; MAP: Num Records: 12
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare ptr addrspace(1) @llvm.experimental.patchpoint.p1(i64, i32, ptr, i32, ...)
declare void @g()

; CHECK-LABEL: define ptr addrspace(1) @around
; CHECK: patchpoint.p1(i64 1, i32 15, ptr null, i32 1, ptr addrspace(1) %p,
; CHECK-NEXT: gc.statepoint{{.*}}"gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q)
; CHECK: stackmap(i64 2, i32 0, ptr addrspace(1) %p.relocated, ptr addrspace(1) %q.relocated,
; CHECK: gc.statepoint{{.*}}"gc-live"(ptr addrspace(1) %q.relocated)
; CHECK: ret ptr addrspace(1) %q.relocated{{[0-9]+}}
; SLOTS-LABEL: define ptr addrspace(1) @around
; SLOTS: %q = call ptr addrspace(1) {{.*}}patchpoint.p1(i64 1, i32 15, ptr null, i32 1, ptr addrspace(1) %
; SLOTS: store ptr addrspace(1) %q, ptr
; SLOTS: gc.statepoint
; SLOTS: load ptr addrspace(1), ptr
; SLOTS: stackmap(i64 2, i32 0, ptr addrspace(1) %
define ptr addrspace(1) @around(ptr addrspace(1) %p) uwtable gc "statepoint-example" {
  %q = call ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 1, i32 15, ptr null, i32 1, ptr addrspace(1) %p)
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 0, ptr addrspace(1) %p, ptr addrspace(1) %q)
  call void @g()
  ret ptr addrspace(1) %q
}

; The result is an object of its own, and an argument may point into an object.
; CHECK-LABEL: define i64 @derived
; CHECK: %q = call anyregcc ptr addrspace(1) {{.*}}patchpoint.p1(i64 3, i32 15, ptr null, i32 1, ptr addrspace(1) %d, ptr addrspace(1) %p,
; CHECK: gc.statepoint{{.*}}"gc-live"(ptr addrspace(1) %q)
define i64 @derived(ptr addrspace(1) %p, i64 %n) uwtable gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %p, i64 %n
  %q = call anyregcc ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 3, i32 15, ptr null, i32 1, ptr addrspace(1) %d, ptr addrspace(1) %p)
  %e = getelementptr i64, ptr addrspace(1) %q, i64 %n
  call void @g()
  %v = load i64, ptr addrspace(1) %e
  ret i64 %v
}

; A reference of a phi, over a back edge with a safepoint.
; CHECK-LABEL: define void @loop
; CHECK: %p.0 = phi ptr addrspace(1) [ %p, %0 ], [ %q.relocated, %loop ]
; CHECK: patchpoint.p1(i64 4, i32 0, ptr null, i32 0, ptr addrspace(1) %p.0,
define void @loop(ptr addrspace(1) %p, i1 %c) uwtable gc "statepoint-example" {
  br label %loop
loop:
  %p.0 = phi ptr addrspace(1) [ %p, %0 ], [ %q, %loop ]
  %q = call ptr addrspace(1) (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.p1(i64 4, i32 0, ptr null, i32 0, ptr addrspace(1) %p.0)
  call void @g()
  br i1 %c, label %loop, label %out
out:
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 5, i32 8, ptr addrspace(1) %q)
  ret void
}

; The address of a local with references: the record has its fixed place (stackmaps-v2, "Direct Stack Map Entries"), and
; statepoints describe the local.
; CHECK-LABEL: define void @local
; CHECK: stackmap(i64 6, i32 0, ptr %a, {{.*}} i64 16389, i64 5)
; CHECK: gc.statepoint{{.*}} "deopt"(i64 4846245170083810383, i64 1, ptr %a, i64 1, i64 8, i64 1, i64 0, i64 7)
; MAP: Record ID: 6
; MAP-NEXT: 7 locations:
; MAP-NEXT: #1: Direct
define void @local(ptr addrspace(1) %p) uwtable gc "statepoint-example" {
  %a = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %a
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 6, i32 0, ptr %a)
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 6, i32 0, ptr %a)
  ret void
}
; STALE: 'stale': {{.*}}%p is used after the object may have moved{{.*}}[stale-reference]
