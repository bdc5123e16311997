; Promises by which the code generator moves an access over a safepoint, left by some other rewriter:
; found here, since the machine code has the stale address, which FOLD shows.
; RUN: not %cairn opt -p verify-safepoints %s -o /dev/null 2>&1 | FileCheck %s
; RUN: llc -O2 -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true %s -o - \
; RUN:   | FileCheck %s --check-prefix=FOLD
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @foo()
@root = external constant ptr addrspace(1)
@null = internal constant ptr addrspace(1) null

; CHECK: in function 'invariant': !invariant.load says that memory never changes{{.*}}[unchanging-memory]
; FOLD-LABEL: invariant:
; FOLD: movq %rdi, [[OLD:%r..]]
; FOLD: callq foo
; FOLD: addq ([[OLD]]),
define i64 @invariant(ptr addrspace(1) dereferenceable(8) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !invariant.load !0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %w = load i64, ptr addrspace(1) %q, align 8
  %s = add i64 %x, %v
  %r = add i64 %w, %s
  ret i64 %r
}

; CHECK: in function 'older': !tbaa says
; FOLD-LABEL: older:
; FOLD: movq %rdi, [[OLD:%r..]]
; FOLD: callq foo
; FOLD: addq ([[OLD]]),
define i64 @older(ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !tbaa !3
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %w = load i64, ptr addrspace(1) %q, align 8
  %s = add i64 %x, %v
  %r = add i64 %w, %s
  ret i64 %r
}

; CHECK: in function 'newer': !tbaa says
; FOLD-LABEL: newer:
; FOLD: movq %rdi, [[OLD:%r..]]
; FOLD: callq foo
; FOLD: addq ([[OLD]]),
define i64 @newer(ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !tbaa !5
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %w = load i64, ptr addrspace(1) %q, align 8
  %s = add i64 %x, %v
  %r = add i64 %w, %s
  ret i64 %r
}

; The second load is answered from the first.
; CHECK: in function 'constant': 'root' is a constant, and holds references
; FOLD-LABEL: constant:
; FOLD: movq ({{%r..}}), [[OLD:%r..]]
; FOLD: callq foo
; FOLD: addq ([[OLD]]),
define i64 @constant() gc "statepoint-example" {
  %p = load ptr addrspace(1), ptr @root, align 8
  %v = load i64, ptr addrspace(1) %p, align 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %q = load ptr addrspace(1), ptr @root, align 8
  %w = load i64, ptr addrspace(1) %q, align 8
  %r = add i64 %w, %v
  ret i64 %r
}

; CHECK: in function 'groups': !invariant.group says
; CHECK: in function 'copies': !tbaa says
; CHECK: in function 'copies': !tbaa.struct says
; CHECK-NOT: error:
define i64 @groups(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !invariant.group !0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %v
}
define void @copies(ptr addrspace(1) %p, ptr %a) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p1.i64(ptr %a, ptr addrspace(1) %p, i64 8, i1 false), !tbaa !3
  call void @llvm.memcpy.p0.p1.i64(ptr %a, ptr addrspace(1) %p, i64 8, i1 false), !tbaa.struct !6
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

; Without a safepoint, of other memory, and of a constant that is null, it may be true.
define i64 @harmless(ptr addrspace(1) %p, ptr %a) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !invariant.load !0
  ret i64 %v
}
define ptr addrspace(1) @other(ptr %a, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr %a, align 8, !invariant.load !0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %n = load ptr addrspace(1), ptr @null, align 8
  ret ptr addrspace(1) %n
}

!0 = !{}
!1 = !{!"root"}
!2 = !{!"long", !1, i64 0}
!3 = !{!2, !2, i64 0, i64 1}
!4 = !{!1, i64 8, !"sized long"}
!5 = !{!4, !4, i64 0, i64 8, i64 1}
!6 = !{i64 0, i64 8, !3}
