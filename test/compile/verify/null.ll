; Null does not move: where a branch has shown a reference to be null, the optimiser may use the old
; name over a safepoint (it does so after early insertion). On any other path that is a stale use.
; RUN: split-file %s %t
; RUN: %cairn verify %t/right.ll
; RUN: not %cairn verify %t/other-path.ll 2>&1 | FileCheck %s --check-prefix=PATH
; RUN: not %cairn verify %t/wrong-arm.ll 2>&1 | FileCheck %s --check-prefix=ARM
; RUN: not %cairn verify %t/loop.ll 2>&1 | FileCheck %s --check-prefix=LOOP
; RUN: not %cairn verify %t/born-stale.ll 2>&1 | FileCheck %s --check-prefix=BORN
; RUN: not %cairn verify %t/circle.ll 2>&1 | FileCheck %s --check-prefix=CIRCLE
; CIRCLE: in function 'f': {{.*}}[stale-reference]
; PATH: in function 'f': {{.*}}%p {{.*}}@g{{.*}}[stale-reference]
; ARM: in function 'f': {{.*}}%p {{.*}}@g{{.*}}[stale-reference]
; LOOP: in function 'f': {{.*}}%p {{.*}}@g{{.*}}[stale-reference]
; BORN: in function 'f': %r, which comes from %t1,{{.*}}[stale-reference]

;--- right.ll
; Into this circle of phis and relocates, which LLVM's rewriter makes, only null comes.
define ptr addrspace(1) @circle(i1 %c) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %p = phi ptr addrspace(1) [ %r, %again ], [ null, %entry ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br label %inner
inner:
  %q = phi ptr addrspace(1) [ %r, %again ], [ %p, %outer ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %q) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 0)
  br i1 %c, label %again, label %out
again:
  br i1 %c, label %inner, label %outer
out:
  ret ptr addrspace(1) null
}
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @g()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  %null = icmp eq ptr addrspace(1) %p, null
  %both = and i1 %null, %c
  br i1 %both, label %no, label %yes
no:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br label %join
yes:
  br label %join
join:
  %q = phi ptr addrspace(1) [ %p, %no ], [ %p, %yes ]
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %q)
  ret void
}

;--- other-path.ll
declare void @g()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  %null = icmp eq ptr addrspace(1) %p, null
  %either = or i1 %null, %c
  br i1 %either, label %no, label %yes
no:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br label %join
yes:
  br label %join
join:
  call void @use(ptr addrspace(1) %p)
  ret void
}

;--- wrong-arm.ll
declare void @g()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  %null = icmp eq ptr addrspace(1) %p, null
  br i1 %null, label %join, label %yes
yes:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br label %join
join:
  call void @use(ptr addrspace(1) %p)
  ret void
}

;--- loop.ll
; The first pass over the use is right, the second is not.
declare void @g()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define void @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  %null = icmp eq ptr addrspace(1) %p, null
  br label %loop
loop:
  call void @use(ptr addrspace(1) %p)
  br i1 %null, label %no, label %yes
no:
  ret void
yes:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br i1 %c, label %loop, label %no
}

;--- born-stale.ll
declare void @g()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %t2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t1, i32 0, i32 0)
  call void @use(ptr addrspace(1) %r)
  ret void
}

; The same circle, but an object comes in.
;--- circle.ll
declare void @g()
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
define ptr addrspace(1) @f(i1 %c, ptr addrspace(1) %o) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %p = phi ptr addrspace(1) [ %r, %again ], [ %o, %entry ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"() ]
  br label %inner
inner:
  %q = phi ptr addrspace(1) [ %r, %again ], [ %p, %outer ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %q) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 0)
  br i1 %c, label %again, label %out
again:
  br i1 %c, label %inner, label %outer
out:
  ret ptr addrspace(1) null
}
