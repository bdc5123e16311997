; RUN: split-file %s %t
; RUN: for f in missed leaf base base-phi index duplicate alloca untyped-alloca masked-alloca int least diff raw \
; RUN:   inttoptr ptrtoaddr inside inside-loop index-address; do not %cairn verify %t/$f.ll > %t/$f.out 2>&1 \
; RUN:   || exit 1; FileCheck --input-file=%t/$f.out %t/$f.ll || exit 1; done
; What LLVM's verifier is blind to (docs/llvm-22.md), one broken module each.

;--- missed.ll
; CHECK: error: in function 'f': call to @foo (external function, may reach a safepoint) is no statepoint; if it never comes to a safepoint, give it the attribute "gc-leaf-function" [missed-parse-point]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  call void @foo()
  ret void
}
; Has a poll, so it has come by the rewriter; no statepoint, so that one forgot it.
; CHECK: error: in function 'g': call to @cairn_poll_slow {{.*}} is no statepoint{{.*}} [missed-parse-point]
define void @g() gc "statepoint-example" {
  call preserve_allcc void @cairn_poll_slow()
  ret void
}
declare preserve_allcc void @cairn_poll_slow()

;--- leaf.ll
; CHECK: error: in function 'f': a function marked as a leaf{{.*}}at the call to @foo [leaf-reaches-safepoint]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() "gc-leaf-function" gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

;--- base.ll
; CHECK: error: in function 'f': %d is relocated with %b, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %a, i64 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %b, ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- base-phi.ll
; Right on one edge, wrong on the other.
; CHECK: error: in function 'f': %d is relocated with %m, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  %da = getelementptr i8, ptr addrspace(1) %a, i64 8
  %db = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %x, label %y
x:
  br label %z
y:
  br label %z
z:
  %m = phi ptr addrspace(1) [ %a, %x ], [ %a, %y ]
  %d = phi ptr addrspace(1) [ %da, %x ], [ %db, %y ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %m, ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- index.ll
; LLVM's own verifier sees this one before us.
; CHECK: index out of bounds
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- duplicate.ll
; CHECK: error: in function 'f': %a is listed twice as live [gc-live-duplicate]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(ptr addrspace(1) %a) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %a) ]
  ret void
}

;--- alloca.ll
; CHECK: error: in function 'f': %x holds references that the collector is not told of at the call to @foo [undescribed-alloca]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %x = alloca { i64, ptr addrspace(1) }
  %y = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(ptr %y) ]
  ret void
}

;--- untyped-alloca.ll
; CHECK: error: in function 'f': %x holds references that the collector is not told of at the call to @foo [undescribed-alloca]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %x = alloca [16 x i8]
  %q = getelementptr i8, ptr %x, i64 8
  store ptr addrspace(1) %p, ptr %q
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

;--- masked-alloca.ll
; Lanes, and an address after a marker that changes nothing.
; CHECK: error: in function 'masked': %a holds references {{.*}} at the call to @foo [undescribed-alloca]
; CHECK: error: in function 'laundered': %a holds references {{.*}} at the call to @foo [undescribed-alloca]
; CHECK-NOT: error
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)>, ptr, <2 x i1>)
declare <2 x i64> @llvm.masked.load.v2i64.p0(ptr, <2 x i1>, <2 x i64>)
declare ptr @llvm.launder.invariant.group.p0(ptr)
define void @masked(<2 x ptr addrspace(1)> %v, <2 x i1> %m) gc "statepoint-example" {
  %a = alloca [16 x i8], align 8
  call void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)> %v, ptr %a, <2 x i1> %m)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
define void @laundered(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca [8 x i8], align 8
  %b = call ptr @llvm.launder.invariant.group.p0(ptr %a)
  store ptr addrspace(1) %p, ptr %b
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
define <2 x i64> @numbers(<2 x i1> %m) gc "statepoint-example" {
  %a = alloca [16 x i8], align 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %w = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr %a, <2 x i1> %m, <2 x i64> zeroinitializer)
  ret <2 x i64> %w
}

;--- int.ll
; CHECK: error: in function 'f': %i holds an address that may have changed at the call to @foo, and is used after it: ret i64 %i [integer-of-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %i
}

;--- least.ll
; CHECK: error: in function 'f': %m holds an address that may have changed at the call to @foo, and is used after it: ret i64 %m [integer-of-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.experimental.gc.result.i64(token)
declare i64 @foo()
define i64 @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = call i64 @llvm.umin.i64(i64 %i, i64 4096)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(i64 ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %r = call i64 @llvm.experimental.gc.result.i64(token %t)
  br i1 %c, label %a, label %b
a:
  ret i64 %m
b:
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(i64 ()) @foo, i32 0, i32 0, i32 0, i32 0)
; CHECK-NOT: error
  ret i64 %r
}

;--- diff.ll
; What the optimiser makes of `s += p - a` round a call: one address hoisted over it
; (docs/llvm-22.md, "differences").
; CHECK: error: in function 'f': %d, which comes from %i, holds an address that may have changed at the call to @foo, and is used after it: ret i64 %d [integer-of-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define i64 @f(ptr addrspace(1) %p, ptr addrspace(1) %a) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %a to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %j = ptrtoint ptr addrspace(1) %r to i64
  %d = sub i64 %j, %i
  ret i64 %d
}

;--- raw.ll
; CHECK: error: in function 'f': %q{{.*}} holds an address that may have changed at the call to @foo, and is used after it: store {{.*}}[integer-of-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %q = addrspacecast ptr addrspace(1) %p to ptr
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  store i64 0, ptr %q
  ret void
}

;--- inttoptr.ll
; CHECK: error: in function 'f': %q is made of an integer{{.*}}[integer-to-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(i64 %i) gc "statepoint-example" {
  %q = inttoptr i64 %i to ptr addrspace(1)
  store i64 0, ptr addrspace(1) %q
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

;--- ptrtoaddr.ll
; The conversion that LLVM 22 brought.
; CHECK: %a holds an address that may have changed at the call to @foo{{.*}} [integer-of-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = ptrtoaddr ptr addrspace(1) %p to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %a
}

;--- inside.ll
; A base that is no start of an object: the collector would take the bytes before it for a header.
; CHECK: %d is relocated with %d as its base, which points into an object, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  ret ptr addrspace(1) %r
}

;--- inside-loop.ll
; A start the first time round only.
; CHECK: %x is relocated with %x as its base, which points into an object, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %x = phi ptr addrspace(1) [ %p, %entry ], [ %next, %loop ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %x) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %next = getelementptr i8, ptr addrspace(1) %r, i64 8
  br i1 %c, label %loop, label %out
out:
  ret ptr addrspace(1) %r
}

;--- index-address.ll
; The reference is fresh, its index is the address of an object that has moved.
; CHECK: error: in function 'f': %x{{.*}} [stale-reference]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %q) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %x = getelementptr i8, ptr addrspace(1) %r, i64 %i
  ret ptr addrspace(1) %x
}
