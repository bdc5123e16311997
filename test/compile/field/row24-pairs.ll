; Field row 24: a collector that relocates the base first loses the derived pointer. Each derived pointer is
; listed with its base, which is listed itself, so that all offsets can be read before anything is written
; (the walker does: test/unit/runtime/walk.c and docs/runtime.md).
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
declare void @foo()
; CHECK: "gc-live"(ptr addrspace(1) %moved, ptr addrspace(1) %d)
; CHECK: gc.relocate.p1(token %{{.*}}, i32 0, i32 1)
define i64 @f(ptr addrspace(1) %p, ptr %from) gc "statepoint-example" {
entry:
  %i = load i64, ptr %from
  %start = getelementptr i8, ptr addrspace(1) %p, i64 %i
  br label %loop
loop:
  %d = phi ptr addrspace(1) [ %start, %entry ], [ %next, %loop ]
  call void @foo()
  %v = load i64, ptr addrspace(1) %d
  %next = getelementptr i8, ptr addrspace(1) %d, i64 %v
  %c = icmp eq i64 %v, 0
  br i1 %c, label %done, label %loop
done:
  ret i64 %v
}
