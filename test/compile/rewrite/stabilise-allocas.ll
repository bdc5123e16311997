; Where a local begins that a statepoint describes stays what it is: LLVM's loop-reduce computes it from the addresses of the
; loop, if these are made of it. Then nothing can describe it.
; RUN: %cairn opt -p rewrite-statepoints,stabilise-allocas -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %cairn verify %t.ll
target triple = "x86_64-unknown-linux-gnu"
declare ptr addrspace(1) @make(i64)
declare void @fill(ptr)

; CHECK-LABEL: define i64 @loop(
; CHECK: %l = alloca [8 x ptr addrspace(1)]
; CHECK-NEXT: %steady = call ptr @llvm.launder.invariant.group.p0(ptr %l)
; CHECK: gc.statepoint{{.*}}"deopt"(i64 {{[0-9]+}}, i64 1, ptr %l,
; CHECK: %slot = getelementptr ptr addrspace(1), ptr %steady, i64 %i
define i64 @loop(i64 %n) gc "statepoint-example" {
entry:
  %l = alloca [8 x ptr addrspace(1)]
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %object = call ptr addrspace(1) @make(i64 %i)
  %slot = getelementptr ptr addrspace(1), ptr %l, i64 %i
  store ptr addrspace(1) %object, ptr %slot
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 8
  br i1 %more, label %head, label %out
out:
  %last = load ptr addrspace(1), ptr %slot
  %v = load i64, ptr addrspace(1) %last
  ret i64 %v
}

; The varying address starts from a constant place in the local.
; CHECK-LABEL: define i64 @part(
; CHECK: %steady = call ptr @llvm.launder.invariant.group.p0(ptr %l)
; CHECK: %part = getelementptr i8, ptr %steady, i64 24
define i64 @part(i64 %n) gc "statepoint-example" {
entry:
  %l = alloca [8 x ptr addrspace(1)]
  %part = getelementptr i8, ptr %l, i64 24
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %object = call ptr addrspace(1) @make(i64 %i)
  %slot = getelementptr ptr addrspace(1), ptr %part, i64 %i
  store ptr addrspace(1) %object, ptr %slot
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %head, label %out
out:
  %last = load ptr addrspace(1), ptr %slot
  %v = load i64, ptr addrspace(1) %last
  ret i64 %v
}

; Nothing is done for a local whose places are all known.
; CHECK-LABEL: define i64 @fixed(
; CHECK-NOT: launder.invariant.group
; CHECK: ret i64
define i64 @fixed() gc "statepoint-example" {
  %l = alloca [2 x ptr addrspace(1)]
  %slot = getelementptr ptr addrspace(1), ptr %l, i64 1
  %object = call ptr addrspace(1) @make(i64 1)
  store ptr addrspace(1) %object, ptr %slot
  call void @fill(ptr %l)
  %last = load ptr addrspace(1), ptr %slot
  %v = load i64, ptr addrspace(1) %last
  ret i64 %v
}
