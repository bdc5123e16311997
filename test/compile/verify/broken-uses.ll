; RUN: split-file %s %t
; RUN: for f in load store call ret derived phi loop late live invoke fca vector cmp unwind; do \
; RUN:   not %cairn verify %t/$f.ll > %t/$f.out 2>&1 \
; RUN:   || exit 1; FileCheck --input-file=%t/$f.out %t/$f.ll || exit 1; done
; A verifier that never fails proves nothing: one broken module per way to use a stale reference.
; Each message names function, value, statepoint and rule.

;--- load.ll
; CHECK: error: in function 'f': %p is used after the object may have moved at the call to @foo: %x = load i64, ptr addrspace(1) %p{{.*}} [stale-reference]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %x = load i64, ptr addrspace(1) %p
  ret i64 %x
}

;--- store.ll
; Stored as a value.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: store ptr addrspace(1) %p, ptr addrspace(1) %q{{.*}} [stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %o) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %o) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  store ptr addrspace(1) %p, ptr addrspace(1) %q
  ret void
}

;--- call.ll
; Handed to a leaf, and to the callee of the next statepoint.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: call void @leaf(ptr addrspace(1) %p) {{.*}}[stale-reference]
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: %u = call token {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare void @bar(ptr addrspace(1))
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  call void @leaf(ptr addrspace(1) %p)
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (ptr addrspace(1))) @bar, i32 1, i32 0, ptr addrspace(1) %p, i32 0, i32 0)
  ret void
}

;--- ret.ll
; On one of two paths only: a static path is enough.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: ret ptr addrspace(1) %p {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %b
b:
  ret ptr addrspace(1) %p
}

;--- derived.ll
; The computation itself is no use; the load from its result is.
; CHECK: error: in function 'f': %q, which comes from %p, is used after {{.*}}@foo: %x = load {{.*}}[stale-reference]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %q = getelementptr i64, ptr addrspace(1) %p, i64 4
  %x = load i64, ptr addrspace(1) %q
  ret i64 %x
}

;--- phi.ll
; Relocated on one edge, forgotten on the other.
; CHECK: error: in function 'f': %m1, which comes from %p, is used after {{.*}}@bar: %x = load {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
declare void @bar()
define i64 @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  br label %m
b:
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  br label %m
m:
  %m1 = phi ptr addrspace(1) [ %r, %a ], [ %p, %b ]
  %x = load i64, ptr addrspace(1) %m1
  ret i64 %x
}

;--- loop.ll
; Valid on the first pass, stale from the second on.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: %x = load {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  br label %l
l:
  %x = load volatile i64, ptr addrspace(1) %p
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %l
}

;--- late.ll
; A relocate of the last statepoint but one.
; CHECK: error: in function 'f': %r{{.*}} is used after {{.*}}@bar: %x = load {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
declare void @bar()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %x = load i64, ptr addrspace(1) %r
  ret i64 %x
}

;--- live.ll
; The collector must not be handed a stale address, either.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: %u = call token {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 0)
  %x = load i64, ptr addrspace(1) %r
  ret i64 %x
}

;--- invoke.ll
; An invoke's statepoint is on both ways out.
; CHECK-DAG: error: in function 'f': %p is used after {{.*}}@foo: store i64 1{{.*}}[stale-reference]
; CHECK-DAG: error: in function 'f': %p is used after {{.*}}@foo: store i64 2{{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare i32 @personality(...)
define void @f(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %t = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
          to label %n unwind label %u
n:
  store i64 1, ptr addrspace(1) %p
  ret void
u:
  %l = landingpad token cleanup
  store i64 2, ptr addrspace(1) %p
  ret void
}

;--- unwind.ll
; A relocate of the landing pad is good until the next statepoint.
; CHECK-DAG: error: in function 'f': %r is used after {{.*}}@bar: store i64 2{{.*}}[stale-reference]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
declare void @bar()
declare i32 @personality(...)
define void @f(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %t = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
          to label %n unwind label %u
n:
  ret void
u:
  %l = landingpad token cleanup
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %l, i32 0, i32 0)
  store i64 1, ptr addrspace(1) %r
  %v = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  store i64 2, ptr addrspace(1) %r
  ret void
}

;--- fca.ll
; LLVM's pass does not relocate aggregates, and a release build of it does not say so.
; CHECK: error: in function 'f': %q, which comes from %s, is used after {{.*}}@foo: %x = load {{.*}}[stale-reference]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare { ptr addrspace(1), i64 } @pair() "gc-leaf-function"
declare void @foo()
declare void @leaf(i64) "gc-leaf-function"
define i64 @f() gc "statepoint-example" {
  %s = call { ptr addrspace(1), i64 } @pair()
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %n = extractvalue { ptr addrspace(1), i64 } %s, 1
  call void @leaf(i64 %n)
  %q = extractvalue { ptr addrspace(1), i64 } %s, 0
  %x = load i64, ptr addrspace(1) %q
  ret i64 %x
}

;--- vector.ll
; CHECK: error: in function 'f': %q, which comes from %v, is used after {{.*}}@foo: %x = load {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @f(<2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %q = extractelement <2 x ptr addrspace(1)> %v, i32 0
  %x = load i64, ptr addrspace(1) %q
  ret i64 %x
}

;--- cmp.ll
; An old address against a new one says nothing.
; CHECK: error: in function 'f': %p is used after {{.*}}@foo: %c = icmp eq {{.*}}[stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define i1 @f(ptr addrspace(1) %p, ptr addrspace(1) %o) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %o) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %c = icmp eq ptr addrspace(1) %p, %q
  ret i1 %c
}
