; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards -S %s | FileCheck %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=snapshot -S %s | FileCheck --check-prefix=EACH %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads -S %s | FileCheck --check-prefix=EACH %s
;
; The length of a copy is extended, as that of an int which is not negative; stores lie before the base of a run. Wrong:
; insertion and verification read the length differently, and the copy is refused; the range of a run leaves out the
; place that lies over its base.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @unsigned(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %to, i64 %long)
; EACH-LABEL: define void @unsigned(
; EACH: call void @cairn.barrier.range(ptr addrspace(1) %{{to|from}}, i64 %long)
define void @unsigned(ptr addrspace(1) %to, ptr addrspace(1) %from, i32 %n) gc "statepoint-example" {
  %long = zext i32 %n to i64
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %long, i1 false)
  ret void
}

; CHECK-LABEL: define void @not_negative(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %to, i64 %long)
define void @not_negative(ptr addrspace(1) %to, ptr addrspace(1) %from, i16 %n) gc "statepoint-example" {
  %long = zext nneg i16 %n to i64
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 %long, i1 false)
  ret void
}

; CHECK-LABEL: define void @short_length(
; CHECK: %[[LONG:[0-9]+]] = zext i32 %middle to i64
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %to, i64 %[[LONG]])
define void @short_length(ptr addrspace(1) %to, ptr addrspace(1) %from, i16 %n) gc "statepoint-example" {
  %middle = zext i16 %n to i32
  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %to, ptr addrspace(1) %from, i32 %middle, i1 false)
  ret void
}

; CHECK-LABEL: define void @over_its_base(
; CHECK: %[[LOW:[0-9]+]] = getelementptr i8, ptr addrspace(1) %p, i64 -24
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %[[LOW]], i64 32)
define void @over_its_base(ptr addrspace(1) %p, <2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  %high = getelementptr i8, ptr addrspace(1) %p, i64 -8
  %low = getelementptr i8, ptr addrspace(1) %p, i64 -24
  store <2 x ptr addrspace(1)> %v, ptr addrspace(1) %high
  store <2 x ptr addrspace(1)> %v, ptr addrspace(1) %low
  ret void
}

; CHECK-LABEL: define void @around_its_base(
; CHECK: %[[LOW:[0-9]+]] = getelementptr i8, ptr addrspace(1) %p, i64 -8
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %[[LOW]], i64 24)
define void @around_its_base(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %after = getelementptr i8, ptr addrspace(1) %p, i64 8
  %before = getelementptr i8, ptr addrspace(1) %p, i64 -8
  store ptr addrspace(1) %v, ptr addrspace(1) %after
  store ptr addrspace(1) %v, ptr addrspace(1) %before
  ret void
}

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
