; What is live over a call is listed once, relocated, and only the relocated value is used after it;
; what is dead is not listed. Wrong: a use of %a or %b after the statepoint is a stale reference;
; %dead listed keeps garbage alive.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo(ptr addrspace(1))
declare ptr addrspace(1) @bar(i64 zeroext, ptr addrspace(1))

; CHECK-LABEL: define ptr addrspace(1) @simple
; CHECK: [[T1:%.*]] = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void (ptr addrspace(1))) @foo, i32 1, i32 0, ptr addrspace(1) %dead, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
; CHECK-DAG: %a.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T1]], i32 0, i32 0)
; CHECK-DAG: %b.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T1]], i32 1, i32 1)
; CHECK-DAG: %v = load i64, ptr addrspace(1) %a.relocated
; CHECK: [[T2:%.*]] = call token {{.*}}@bar, i32 2, i32 0, i64 zeroext %v, ptr addrspace(1) %b.relocated, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a.relocated) ]
; CHECK: %r = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token [[T2]])
; CHECK: [[A2:%a.relocated[0-9]+]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T2]], i32 0, i32 0)
; CHECK: store ptr addrspace(1) %r, ptr addrspace(1) [[A2]]
; CHECK: ret ptr addrspace(1) %r
define ptr addrspace(1) @simple(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %dead) gc "statepoint-example" {
  call void @foo(ptr addrspace(1) %dead)
  %v = load i64, ptr addrspace(1) %a
  %r = call ptr addrspace(1) @bar(i64 zeroext %v, ptr addrspace(1) %b)
  store ptr addrspace(1) %r, ptr addrspace(1) %a
  ret ptr addrspace(1) %r
}

; Nothing live: no gc-live, no relocate.
; CHECK-LABEL: define void @nothing
; CHECK: @foo, i32 1, i32 0, ptr addrspace(1) %a, i32 0, i32 0){{$}}
; CHECK-NEXT: ret void
define void @nothing(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @foo(ptr addrspace(1) %a)
  ret void
}

; Constants do not move.
; CHECK-LABEL: define ptr addrspace(1) @constant
; CHECK-NOT: gc-live
; CHECK: ret
define ptr addrspace(1) @constant(i1 %c) gc "statepoint-example" {
  %p = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) undef
  call void @foo(ptr addrspace(1) null)
  ret ptr addrspace(1) %p
}

; Not managed: left alone.
; CHECK-LABEL: define void @unmanaged
; CHECK-NEXT: call void @foo(ptr addrspace(1) %a)
; CHECK-NEXT: call void @foo(ptr addrspace(1) %a)
define void @unmanaged(ptr addrspace(1) %a) {
  call void @foo(ptr addrspace(1) %a)
  call void @foo(ptr addrspace(1) %a)
  ret void
}
