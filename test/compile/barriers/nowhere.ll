; Places at a distance from no object: undefined, poison or null, as dead code of a program has them. Wrong:
; verify-barriers does not find the barrier that insert-barriers made, because LLVM folded its place, or since
; null counted as an object that had its barrier; so a program that never comes there is refused.
; RUN: for k in cards snapshot; do %cairn opt -p insert-barriers,verify-barriers --barriers=$k -S %s \
; RUN:   | FileCheck %s || exit 1; done
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads -S %s -o %t.ll

; CHECK-LABEL: define void @undefined(
; CHECK: call void @cairn.barrier.
; CHECK: ret void
define void @undefined(ptr addrspace(1) %v) gc "statepoint-example" {
  %p = getelementptr i8, ptr addrspace(1) undef, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) undef, i64 24
  store ptr addrspace(1) %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define void @copied(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 16)
; CHECK: ret void
define void @copied(ptr addrspace(1) %from) gc "statepoint-example" {
  %p = getelementptr i8, ptr addrspace(1) undef, i64 16
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) align 8 %p, ptr addrspace(1) align 8 %from, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define void @poisoned(
; CHECK: call void @cairn.barrier.
; CHECK: ret void
define void @poisoned(ptr addrspace(1) %v) gc "statepoint-example" {
  %p = getelementptr i8, ptr addrspace(1) poison, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) poison
  ret void
}

; CHECK-LABEL: define void @null(
; CHECK: call void @cairn.barrier.
; CHECK: ret void
define void @null(ptr addrspace(1) %v) gc "statepoint-example" {
  %p = getelementptr i8, ptr addrspace(1) null, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) null, i64 24
  store ptr addrspace(1) %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define void @swept(
; CHECK: call void @cairn.barrier.
; CHECK: ret void
define void @swept(ptr addrspace(1) %v, ptr addrspace(1) %array) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr ptr addrspace(1), ptr addrspace(1) undef, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = getelementptr ptr addrspace(1), ptr addrspace(1) null, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %q
  %some = add i64 %i, undef
  %r = getelementptr ptr addrspace(1), ptr addrspace(1) %array, i64 %some
  store ptr addrspace(1) %v, ptr addrspace(1) %r
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 100
  br i1 %end, label %out, label %loop
out:
  ret void
}

; The bound of a loop, and a mask: the barriers do not depend on what these turn out to be.
; CHECK-LABEL: define void @bound(
; CHECK: loop:
; CHECK: call void @cairn.barrier.store(
; CHECK: ret void
define void @bound(ptr addrspace(1) %v, ptr addrspace(1) %array) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %p = getelementptr ptr addrspace(1), ptr addrspace(1) %array, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, undef
  br i1 %end, label %out, label %loop
out:
  ret void
}

; CHECK-LABEL: define void @mask(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %{{[0-9]+}}, i64 8)
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %{{[0-9]+}}, i64 8)
; CHECK: ret void
define void @mask(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %at) gc "statepoint-example" {
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %at, <2 x i1> undef)
  ret void
}

declare void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>, <2 x i1>)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
