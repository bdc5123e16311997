; What a statepoint says of the call that it wraps must come back: a lost calling convention, bundle,
; attribute, id or result would be a miscompile after optimising and rewriting again.

; RUN: %cairn opt -p strip-statepoints -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: llvm-extract -func=facts -S %t.ll | %cairn opt -p rewrite-statepoints,verify-safepoints -S - \
; RUN:   | FileCheck --check-prefix=AGAIN %s

declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
declare i32 @llvm.experimental.gc.result.i32(token)
declare ptr addrspace(1) @llvm.experimental.gc.result.p1(token)
declare i32 @callee(i32, ptr addrspace(1))
declare ptr addrspace(1) @make()
declare void @foo()
declare void @variadic(i32, ...)
declare i32 @personality(...)

; CHECK-LABEL: define i32 @facts(
; CHECK-NEXT: %r = tail call preserve_mostcc zeroext i32 @callee(i32 signext 7, ptr addrspace(1) nonnull %a) #[[FACTS:[0-9]+]] [ "deopt"(i32 1, ptr addrspace(1) %a), "gc-transition"(i32 2) ], !note
; CHECK-NEXT: ret i32 %r
; AGAIN-LABEL: define i32 @facts(
; AGAIN: statepoint.p0(i64 77, i32 5, ptr elementtype(i32 (i32, ptr addrspace(1))) @callee, i32 2, i32 1, i32 signext 7, ptr addrspace(1) nonnull %a, i32 0, i32 0){{.*}} [ "deopt"(i32 1, ptr addrspace(1) %a, i64 4846245170335664462, i64 3586, i64 5, i64 0, i64 8192, i64 16387, i64 6), "gc-transition"(i32 2), "gc-live"(ptr addrspace(1) %a) ]
; AGAIN: gc.result.i32
define i32 @facts(ptr addrspace(1) %a) gc "statepoint-example" {
  %t = tail call preserve_mostcc token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 77, i32 5, ptr elementtype(i32 (i32, ptr addrspace(1))) @callee, i32 2, i32 1, i32 signext 7, ptr addrspace(1) nonnull %a, i32 0, i32 0) cold "mine"="yes" [ "deopt"(i32 1, ptr addrspace(1) %a), "gc-transition"(i32 2), "gc-live"(ptr addrspace(1) %a) ], !note !0
  %r = call zeroext i32 @llvm.experimental.gc.result.i32(token %t)
  ret i32 %r
}

; The values go back through a chain of relocations, in whatever order the blocks stand, and a phi
; of a value and its relocations is that value.
; CHECK-LABEL: define void @chain(
; CHECK: exit:
; CHECK-NEXT: %r = call i32 @callee(i32 1, ptr addrspace(1) %p)
; CHECK: loop:
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: br i1 %c, label %loop, label %exit
define void @chain(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  br label %loop
exit:
  %t3 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(i32 (i32, ptr addrspace(1))) @callee, i32 2, i32 0, i32 1, ptr addrspace(1) %p2, i32 0, i32 0) [ "gc-live"() ]
  %r = call i32 @llvm.experimental.gc.result.i32(token %t3)
  ret void
loop:
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %p2, %loop ]
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %q) ]
  %p1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t1, i32 0, i32 0)
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p1) ]
  %p2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  br i1 %c, label %loop, label %exit
}

; Both ways out of an invoke; the pad's relocations have the pad for their token.
; CHECK-LABEL: define ptr addrspace(1) @unwinds(
; CHECK: %m = invoke ptr addrspace(1) @make()
; CHECK-NEXT: to label %next unwind label %pad
; CHECK: next:
; CHECK-NEXT: ret ptr addrspace(1) %m
; CHECK: pad:
; CHECK-NEXT: landingpad token
; CHECK-NEXT: cleanup
; CHECK-NEXT: ret ptr addrspace(1) %p
define ptr addrspace(1) @unwinds(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %t = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(ptr addrspace(1) ()) @make, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
          to label %next unwind label %pad
next:
  %m = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %t)
  ret ptr addrspace(1) %m
pad:
  %l = landingpad token cleanup
  %p1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %l, i32 0, i32 0)
  ret ptr addrspace(1) %p1
}

; CHECK-LABEL: define void @forms(
; CHECK-NEXT: call void (i32, ...) @variadic(i32 1, double 2.000000e+00)
; CHECK-NEXT: call void %f(ptr byval(i64) %s) #[[LIVE:[0-9]+]]
; CHECK-NEXT: ret void
define void @forms(ptr %f, ptr %s) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void (i32, ...)) @variadic, i32 2, i32 0, i32 1, double 2.0, i32 0, i32 0)
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void (ptr)) %f, i32 1, i32 2, ptr byval(i64) %s, i32 0, i32 0)
  ret void
}

; Dead code may relocate in a ring, or what no statepoint lists.
; CHECK-LABEL: define void @dead(
; CHECK: ret void
define void @dead(i1 %c) gc "statepoint-example" {
  ret void
ring:
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p2) ]
  %p1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t1, i32 0, i32 0)
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p1) ]
  %p2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t2, i32 0, i32 0)
  br label %ring
none:
  %n = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token poison, i32 0, i32 0)
  br i1 %c, label %none, label %ring
}

; CHECK-NOT: declare {{.*}}llvm.experimental.gc
; CHECK: attributes #[[FACTS]] = { cold "mine"="yes" "statepoint-id"="77" "statepoint-num-patch-bytes"="5" }
; CHECK: attributes #[[LIVE]] = { "deopt-lowering"="live-in" }
!0 = !{}
