; RUN: split-file %s %t
; RUN: %cairn verify %t/right.ll
; RUN: opt-22 -passes='verify<safepoint-ir>' -disable-output %t/right.ll
; RUN: for f in loads stale-name swapped undef null select lane mask circle round; do not %cairn verify %t/$f.ll > %t/$f.out 2>&1 \
; RUN:   || exit 1; FileCheck --input-file=%t/$f.out %t/$f.ll || exit 1; done
; The collector moves a derived pointer by as much as its base. With a base of another object it would
; move it by as much as that: so that two are of one object has to be proved, not only not refuted.

;--- right.ll
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare <2 x ptr addrspace(1)> @llvm.experimental.gc.relocate.v2p1(token, i32, i32)
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
declare ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1))
declare void @foo()
@g = addrspace(1) global i64 0

; A phi of bases beside one of derived pointers, inputs listed in another order, through relocates.
define ptr addrspace(1) @phis(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %y = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %left, label %right
left:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %x) ]
  %a1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %x1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  br label %join
right:
  br label %join
join:
  %base = phi ptr addrspace(1) [ %a1, %left ], [ %b, %right ]
  %derived = phi ptr addrspace(1) [ %y, %right ], [ %x1, %left ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

; Two webs round a loop that walk in step; no phi of theirs is equal to any value by name.
define ptr addrspace(1) @webs(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c, i1 %e) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  br label %loop
loop:
  %base = phi ptr addrspace(1) [ %a, %entry ], [ %base.next, %latch ]
  %derived = phi ptr addrspace(1) [ %x, %entry ], [ %derived.next, %latch ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %base.1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %derived.1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  br i1 %c, label %other, label %latch
other:
  %new = load ptr addrspace(1), ptr addrspace(1) %derived.1
  %inside = getelementptr i8, ptr addrspace(1) %new, i64 16
  br label %latch
latch:
  %base.next = phi ptr addrspace(1) [ %base.1, %loop ], [ %new, %other ]
  %derived.next = phi ptr addrspace(1) [ %derived.1, %loop ], [ %inside, %other ]
  br i1 %e, label %loop, label %out
out:
  ret ptr addrspace(1) %derived.next
}

; Where the derived pointer is undefined, any base will do; where a branch has shown that two
; references are equal, either is the base; null has the base null.
define ptr addrspace(1) @facts(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %eq = icmp eq ptr addrspace(1) %a, %b
  %both = and i1 %eq, %c
  br i1 %both, label %same, label %other
same:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %b, ptr addrspace(1) %x) ]
  %x1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %x1
other:
  %null = icmp eq ptr addrspace(1) %a, null
  br i1 %null, label %none, label %some
some:
  br i1 %c, label %none, label %join
none:
  %undef = phi ptr addrspace(1) [ poison, %some ], [ null, %other ]
  br label %join
join:
  %derived = phi ptr addrspace(1) [ %x, %some ], [ %undef, %none ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %derived) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

; Globals and null have the base null, on one path too.
define ptr addrspace(1) @fixed(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %base = phi ptr addrspace(1) [ %a, %entry ], [ null, %left ]
  %derived = phi ptr addrspace(1) [ %x, %entry ], [ getelementptr (i8, ptr addrspace(1) @g, i64 4), %left ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

; Lane by lane; through what masks a pointer, and what asks for its base.
define ptr addrspace(1) @lanes(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %i) gc "statepoint-example" {
  %v0 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %a, i32 0
  %v = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %b, i32 1
  %d = getelementptr i8, <2 x ptr addrspace(1)> %v, <2 x i64> <i64 8, i64 16>
  %swap = shufflevector <2 x ptr addrspace(1)> %d, <2 x ptr addrspace(1)> poison, <2 x i32> <i32 1, i32 0>
  %one = extractelement <2 x ptr addrspace(1)> %swap, i32 0
  %some.base = extractelement <2 x ptr addrspace(1)> %v, i32 %i
  %some = extractelement <2 x ptr addrspace(1)> %d, i32 %i
  %masked = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %one, i64 -8)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %d, ptr addrspace(1) %b, ptr addrspace(1) %masked, ptr addrspace(1) %some.base, ptr addrspace(1) %some) ]
  %vr = call <2 x ptr addrspace(1)> @llvm.experimental.gc.relocate.v2p1(token %t, i32 0, i32 1)
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 2, i32 3)
  %s = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 4, i32 5)
  store ptr addrspace(1) %s, ptr addrspace(1) %r
  %e = extractelement <2 x ptr addrspace(1)> %vr, i32 0
  ret ptr addrspace(1) %e
}

; What the optimiser leaves of `select null, base`: the base, which is null there. Round the loop, the
; same by a branch; that the two phis walk in step is what the proof for the next trip rests on.
define ptr addrspace(1) @null_arm(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %null = icmp eq ptr addrspace(1) %a, null
  %start = select i1 %null, ptr addrspace(1) null, ptr addrspace(1) %x
  br label %loop
loop:
  %base = phi ptr addrspace(1) [ %a, %entry ], [ %base.next, %latch ]
  %derived = phi ptr addrspace(1) [ %start, %entry ], [ %d, %latch ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %b = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 0)
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  %zero = icmp eq ptr addrspace(1) %b, null
  br i1 %zero, label %none, label %latch
none:
  br label %latch
latch:
  %base.next = phi ptr addrspace(1) [ %b, %loop ], [ null, %none ]
  br i1 %c, label %loop, label %out
out:
  ret ptr addrspace(1) %d
}

; Two webs walk in step through a cycle of two entries and one in itself, and all the way round rest
; on one another.
define ptr addrspace(1) @round(ptr addrspace(1) %a, ptr %p, i1 %c1, i1 %c2, i1 %c3, i1 %c4, i1 %c5) gc "statepoint-example" {
entry:
  br i1 %c1, label %left, label %right
left:
  %q.left = phi ptr addrspace(1) [ %a, %entry ], [ %q.right, %right ]
  %other = load ptr addrspace(1), ptr %p
  br i1 %c2, label %meet, label %right
right:
  %right.base = phi ptr addrspace(1) [ %pick.base, %again ], [ %other, %left ], [ %a, %entry ]
  %right.derived = phi ptr addrspace(1) [ %pick, %again ], [ %other, %left ], [ %a, %entry ]
  %q.right = phi ptr addrspace(1) [ %made, %again ], [ %q.left, %left ], [ %a, %entry ]
  br i1 %c3, label %meet, label %left
meet:
  %base = phi ptr addrspace(1) [ %other, %left ], [ %right.base, %right ]
  %derived = phi ptr addrspace(1) [ %other, %left ], [ %right.derived, %right ]
  %q = phi ptr addrspace(1) [ %q.left, %left ], [ %q.right, %right ]
  %inside = getelementptr i8, ptr addrspace(1) %q, i64 8
  %one.base = select i1 %c4, ptr addrspace(1) %q, ptr addrspace(1) %base
  %one = select i1 %c4, ptr addrspace(1) %inside, ptr addrspace(1) %derived
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived, ptr addrspace(1) %q, ptr addrspace(1) %one.base, ptr addrspace(1) %one) ]
  %derived.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %q.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 2, i32 2)
  %one.base.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 3)
  %one.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 4)
  %made = load ptr addrspace(1), ptr %p
  br label %again
again:
  %again.base = phi ptr addrspace(1) [ %q.r, %meet ], [ %one.base.r, %again ]
  %again.derived = phi ptr addrspace(1) [ %q.r, %meet ], [ %next, %again ]
  %pick.base = select i1 %c5, ptr addrspace(1) %made, ptr addrspace(1) %again.base
  %pick = select i1 %c5, ptr addrspace(1) %made, ptr addrspace(1) %again.derived
  %next = getelementptr i8, ptr addrspace(1) %one.r, i64 8
  store ptr addrspace(1) %derived.r, ptr addrspace(1) %pick
  br i1 %c2, label %again, label %right
}

;--- loads.ll
; Two loads of one field are two objects, as far as anybody knows.
; CHECK: %d is relocated with %y, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %x = load ptr addrspace(1), ptr addrspace(1) %p
  %y = load ptr addrspace(1), ptr addrspace(1) %p
  %d = getelementptr i8, ptr addrspace(1) %x, i64 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %y, ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- stale-name.ll
; %d points into the %x of the trip before, which has the same name.
; CHECK: %d is relocated with %x, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %d = phi ptr addrspace(1) [ undef, %entry ], [ %e, %latch ]
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %q, %latch ]
  %x = load ptr addrspace(1), ptr addrspace(1) %q
  %e = getelementptr i8, ptr addrspace(1) %x, i64 8
  br i1 %c, label %latch, label %out
latch:
  br label %loop
out:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %x, ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- swapped.ll
; The phi of bases has its inputs the wrong way round.
; CHECK: %derived is relocated with %base, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %y = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %base = phi ptr addrspace(1) [ %a, %left ], [ %b, %entry ]
  %derived = phi ptr addrspace(1) [ %y, %left ], [ %x, %entry ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

;--- undef.ll
; The base is undefined on a path on which the derived pointer is not.
; CHECK: %x is relocated with %base, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %base = phi ptr addrspace(1) [ %a, %left ], [ undef, %entry ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %x) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

;--- null.ll
; Null would move with the object of %a.
; CHECK: %derived is relocated with %a, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %derived = phi ptr addrspace(1) [ %x, %left ], [ null, %entry ]
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %derived) ]
  %d = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %d
}

;--- select.ll
; Two choices, by two conditions.
; CHECK: %derived is relocated with %base, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c, i1 %d) gc "statepoint-example" {
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %y = getelementptr i8, ptr addrspace(1) %b, i64 8
  %base = select i1 %d, ptr addrspace(1) %a, ptr addrspace(1) %b
  %derived = select i1 %c, ptr addrspace(1) %x, ptr addrspace(1) %y
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 0, i32 1)
  ret ptr addrspace(1) %r
}

;--- lane.ll
; The lanes of the bases are the wrong way round.
; CHECK: %d is relocated with %w, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare <2 x ptr addrspace(1)> @llvm.experimental.gc.relocate.v2p1(token, i32, i32)
declare void @foo()
define <2 x ptr addrspace(1)> @f(<2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  %d = getelementptr i8, <2 x ptr addrspace(1)> %v, i64 8
  %w = shufflevector <2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> poison, <2 x i32> <i32 1, i32 0>
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(<2 x ptr addrspace(1)> %w, <2 x ptr addrspace(1)> %d) ]
  %r = call <2 x ptr addrspace(1)> @llvm.experimental.gc.relocate.v2p1(token %t, i32 0, i32 1)
  ret <2 x ptr addrspace(1)> %r
}

;--- mask.ll
; What LLVM's pass makes of a masked pointer (it takes every intrinsic's result for a base).
; CHECK: %m is relocated with %m as its base, which points into an object, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %m = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %p, i64 -4096)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %m) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  ret ptr addrspace(1) %r
}

;--- circle.ll
; That %z is null shows nothing of %d, though each of "null is the base of %d" and "%z is" would follow
; from the other.
; CHECK: %d is relocated with ptr addrspace(1) null, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %d, i1 %c) gc "statepoint-example" {
entry:
  %z = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) %d
  %zero = icmp eq ptr addrspace(1) %z, null
  br i1 %zero, label %yes, label %no
yes:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) null, ptr addrspace(1) %d) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  ret ptr addrspace(1) %r
no:
  ret ptr addrspace(1) %d
}

;--- round.ll
; One input of one phi of bases is of another object, and so, round the circle, are all.
; CHECK: %derived is relocated with %base, which is not its base, at the call to @foo [wrong-base]
; CHECK: %one is relocated with %one.base, which is not its base, at the call to @foo [wrong-base]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %a, ptr %p, i1 %c1, i1 %c2, i1 %c3, i1 %c4, i1 %c5) gc "statepoint-example" {
entry:
  br i1 %c1, label %left, label %right
left:
  %q.left = phi ptr addrspace(1) [ %a, %entry ], [ %q.right, %right ]
  %other = load ptr addrspace(1), ptr %p
  br i1 %c2, label %meet, label %right
right:
  %right.base = phi ptr addrspace(1) [ %made, %again ], [ %other, %left ], [ %a, %entry ]
  %right.derived = phi ptr addrspace(1) [ %pick, %again ], [ %other, %left ], [ %a, %entry ]
  %q.right = phi ptr addrspace(1) [ %made, %again ], [ %q.left, %left ], [ %a, %entry ]
  br i1 %c3, label %meet, label %left
meet:
  %base = phi ptr addrspace(1) [ %other, %left ], [ %right.base, %right ]
  %derived = phi ptr addrspace(1) [ %other, %left ], [ %right.derived, %right ]
  %q = phi ptr addrspace(1) [ %q.left, %left ], [ %q.right, %right ]
  %inside = getelementptr i8, ptr addrspace(1) %q, i64 8
  %one.base = select i1 %c4, ptr addrspace(1) %q, ptr addrspace(1) %base
  %one = select i1 %c4, ptr addrspace(1) %inside, ptr addrspace(1) %derived
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %base, ptr addrspace(1) %derived, ptr addrspace(1) %q, ptr addrspace(1) %one.base, ptr addrspace(1) %one) ]
  %derived.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %q.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 2, i32 2)
  %one.base.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 3)
  %one.r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 3, i32 4)
  %made = load ptr addrspace(1), ptr %p
  br label %again
again:
  %again.base = phi ptr addrspace(1) [ %q.r, %meet ], [ %one.base.r, %again ]
  %again.derived = phi ptr addrspace(1) [ %q.r, %meet ], [ %next, %again ]
  %pick.base = select i1 %c5, ptr addrspace(1) %made, ptr addrspace(1) %again.base
  %pick = select i1 %c5, ptr addrspace(1) %made, ptr addrspace(1) %again.derived
  %next = getelementptr i8, ptr addrspace(1) %one.r, i64 8
  store ptr addrspace(1) %derived.r, ptr addrspace(1) %pick
  br i1 %c2, label %again, label %right
}
