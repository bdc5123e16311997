; RUN: %cairn opt -p prepare,place-safepoints,rewrite-statepoints,verify-safepoints --words=0:1 %s -o /dev/null
; RUN: %cairn opt -p prepare,place-safepoints --words=0:1 -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,place-safepoints -S %s | FileCheck --check-prefix=PLAIN %s
;
; Long copies at any byte, where words may be immediates: a function of its own gets the object and a distance. Wrong: it
; gets a pointer that ends as an immediate does, which no collection updates between two pieces; or the copy is refused.
; PLAIN-NOT: cairn.long.at
target triple = "x86_64-unknown-linux-gnu"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"

%text = type { i64, [0 x i8] }

; CHECK-LABEL: define void @join(
; CHECK: long.cold:
; CHECK-NEXT: %[[WAY:.*]] = getelementptr i8, ptr null, i64 %at
; CHECK-NEXT: %[[FAR:.*]] = ptrtoint ptr %[[WAY]] to i64
; CHECK-NEXT: call void @cairn.long.at.llvm.memcpy.p1.p1.i64(ptr addrspace(1) %bytes, i64 %[[FAR]], ptr addrspace(1) %from, i64 0, i64 %n)
define void @join(ptr addrspace(1) %to, i64 %at, ptr addrspace(1) %from, i64 %n) gc "statepoint-example" {
  %bytes = getelementptr inbounds %text, ptr addrspace(1) %to, i64 0, i32 1
  %place = getelementptr inbounds i8, ptr addrspace(1) %bytes, i64 %at
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %place, ptr addrspace(1) %from, i64 %n, i1 false)
  ret void
}

; The places are known to end as references do.
; CHECK-LABEL: define void @aligned(
; CHECK: call void @cairn.long.llvm.memcpy.p1.p1.i64(ptr addrspace(1) %place, ptr addrspace(1) %from, i64 %n)
define void @aligned(ptr addrspace(1) %to, i64 %at, ptr addrspace(1) %from, i64 %n) gc "statepoint-example" {
  %place = getelementptr inbounds i64, ptr addrspace(1) %to, i64 %at
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %place, ptr addrspace(1) %from, i64 %n, i1 false)
  ret void
}

; To and from native memory.
; CHECK-LABEL: define void @native(
; CHECK: call void @cairn.long.at.llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %from, i64 %{{.*}}, i64 %n)
define void @native(ptr %to, i64 %at, ptr addrspace(1) %from, i64 %n) gc "statepoint-example" {
  %place = getelementptr inbounds i8, ptr addrspace(1) %from, i64 %at
  call void @llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %place, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @fill(
; CHECK: call void @cairn.long.at.llvm.memset.p1.i64(ptr addrspace(1) %to, i64 %{{.*}}, i8 0, i64 %n)
define void @fill(ptr addrspace(1) %to, i64 %at, i64 %n) gc "statepoint-example" {
  %place = getelementptr inbounds i8, ptr addrspace(1) %to, i64 %at
  call void @llvm.memset.p1.i64(ptr addrspace(1) %place, i8 0, i64 %n, i1 false)
  ret void
}

; No object is known of the place: the copy is cut where it is.
; CHECK-LABEL: define void @found(
; CHECK-NOT: call void @cairn.long
; CHECK: long.piece:
; CHECK: call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %long.at
define void @found(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %from, %entry ], [ %q, %loop ]
  %byte = load i8, ptr addrspace(1) %p
  %q = getelementptr inbounds i8, ptr addrspace(1) %p, i64 1
  %ends = icmp eq i8 %byte, 0
  br i1 %ends, label %done, label %loop
done:
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %q, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @cairn.long.at.llvm.memcpy.p1.p1.i64(
; CHECK: getelementptr i8, ptr addrspace(1) %0, i64 %1
; CHECK: getelementptr i8, ptr addrspace(1) %2, i64 %3

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
