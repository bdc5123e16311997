; RUN: %cairn verify %s
; Right programs that a coarser verifier would refuse.

declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
declare i32 @personality(...)

; Null is null wherever the object is, for a select of two stale values too (LLVM's verifier reports
; that).
define i1 @null(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %s = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q
  %a = icmp eq ptr addrspace(1) %s, null
  ret i1 %a
}

; Two values of one time compare as they did then.
define i1 @both_old(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %a = icmp eq ptr addrspace(1) %p, %q
  ret i1 %a
}

; What LLVM's verifier reports wrongly: a phi of one old value, on paths with and without a
; safepoint, compared to that value.
define i1 @diamond(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %b
b:
  %m = phi ptr addrspace(1) [ %p, %a ], [ %p, %0 ]
  %e = icmp eq ptr addrspace(1) %m, %p
  ret i1 %e
}

; Each edge brings what is valid on it.
define i64 @edges(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  br label %b
b:
  %m = phi ptr addrspace(1) [ %r, %a ], [ %p, %0 ]
  %x = load i64, ptr addrspace(1) %m
  ret i64 %x
}

; Round a loop, with a derived pointer and its base both carried.
define void @loop(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %l
l:
  %b = phi ptr addrspace(1) [ %p, %entry ], [ %b.r, %l ]
  %d = phi ptr addrspace(1) [ %p, %entry ], [ %d.r, %l ]
  store volatile i64 0, ptr addrspace(1) %d
  %n = getelementptr i64, ptr addrspace(1) %d, i64 1
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %b, ptr addrspace(1) %n) ]
  %b.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %d.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  br label %l
}

; A loop without a safepoint before one with: the value survives the first.
define void @two_loops(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
entry:
  br label %a
a:
  %i = phi i64 [ 0, %entry ], [ %i.n, %a ]
  store volatile i64 %i, ptr addrspace(1) %p
  %i.n = add i64 %i, 1
  %c = icmp eq i64 %i.n, %n
  br i1 %c, label %b, label %a
b:
  store i64 7, ptr addrspace(1) %p
  br label %s
s:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %s
}

; Distances and low bits do not change when objects move.
define i64 @integers(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %i, %j
  %e = sub i64 0, %j
  %f = add i64 %i, %e
  %g = and i64 %i, 7
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %s = add i64 %d, %f
  %u = add i64 %s, %g
  ret i64 %u
}

; Nothing to collect: constants and what is computed from them.
define i64 @constants(i64 %i) gc "statepoint-example" {
  %g = getelementptr i64, ptr addrspace(1) null, i64 %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %x = load i64, ptr addrspace(1) %g
  ret i64 %x
}

; Described locals, in either bundle.
define void @allocas(ptr addrspace(1) %p) gc "statepoint-example" {
  %x = alloca ptr addrspace(1)
  %y = alloca { i64, ptr addrspace(1) }
  %z = alloca ptr
  store ptr addrspace(1) %p, ptr %x
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(ptr %x), "gc-live"(ptr %y) ]
  ret void
}

; Relocates on both ways out of an invoke.
define i64 @invoke(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %t = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
          to label %n unwind label %u
n:
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %x = load i64, ptr addrspace(1) %r
  ret i64 %x
u:
  %l = landingpad token cleanup
  %s = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %l, i32 0, i32 0)
  %y = load i64, ptr addrspace(1) %s
  ret i64 %y
}
