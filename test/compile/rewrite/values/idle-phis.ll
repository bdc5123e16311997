; A phi that nothing but itself or other such phis reads, and one into which one value alone flows: each would be
; relocated in every round, for nobody.

; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=liveness -S %s \
; RUN:   | FileCheck --check-prefix=OFF %s

declare void @foo()
declare ptr addrspace(1) @next(ptr addrspace(1))
declare i1 @which()

; CHECK-LABEL: define void @round(
; CHECK-NOT: gc-live
; CHECK: ret void
; OFF-LABEL: define void @round(
; OFF: gc-live
; OFF: ret void
define void @round(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %r, %loop ]
  %r = phi ptr addrspace(1) [ null, %entry ], [ %q, %loop ]
  call void @foo()
  br i1 %c, label %loop, label %out

out:
  ret void
}

; One of two is read.
; CHECK-LABEL: define ptr addrspace(1) @half(
; CHECK: %r = phi
; CHECK-NEXT: %q = phi
; CHECK-NOT: phi
; CHECK: ret ptr
define ptr addrspace(1) @half(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  br label %loop

loop:
  %r = phi ptr addrspace(1) [ null, %entry ], [ %q, %loop ]
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %next, %loop ]
  %s = phi ptr addrspace(1) [ %p, %entry ], [ %r, %loop ]
  %next = call ptr addrspace(1) @next(ptr addrspace(1) %q)
  br i1 %c, label %loop, label %out

out:
  %result = phi ptr addrspace(1) [ %r, %loop ]
  ret ptr addrspace(1) %result
}

; CHECK-LABEL: define i64 @one(
; CHECK: "gc-live"(ptr addrspace(1) %p) ]
; CHECK: "gc-live"(ptr addrspace(1) %moved) ]
; CHECK: ret i64
define i64 @one(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  call void @foo()
  br label %loop

loop:
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %q, %loop ]
  call void @foo()
  %v = load i64, ptr addrspace(1) %q
  %w = load i64, ptr addrspace(1) %p
  %d = call i1 @which() "gc-leaf-function"
  br i1 %d, label %loop, label %out

out:
  %s = add i64 %v, %w
  ret i64 %s
}
