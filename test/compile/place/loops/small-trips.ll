; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A loop that provably does little needs no poll. The bound is on work, not on the width of the
; counter (LLVM's exempts any 32-bit one: two thousand million trips without a poll).

; CHECK-LABEL: define void @small
; CHECK: loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @small(ptr %a) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i64, ptr %a, i32 %i
  store i64 0, ptr %p
  %i.next = add i32 %i, 1
  %c = icmp slt i32 %i.next, 64
  br i1 %c, label %loop, label %done
done:
  ret void
}

; Counting down, exit test in the header.
; CHECK-LABEL: define void @down
; CHECK: loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @down(ptr %a) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 100, %entry ], [ %i.next, %body ]
  %c = icmp ne i64 %i, 0
  br i1 %c, label %body, label %done
body:
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 0, ptr %p
  %i.next = add i64 %i, -2
  br label %loop
done:
  ret void
}

; Wraps round: 2 never divides into 101 downwards to 0, so this runs 2^63 times.
; CHECK-LABEL: define void @wraps
; CHECK: body:
; CHECK: load volatile i32
; CHECK: done:
define void @wraps(ptr %a) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 101, %entry ], [ %i.next, %body ]
  %c = icmp ne i64 %i, 0
  br i1 %c, label %body, label %done
body:
  %p = getelementptr i64, ptr %a, i64 %i
  store volatile i64 0, ptr %p
  %i.next = add i64 %i, -2
  br label %loop
done:
  ret void
}

; 64 x 64 x 5 instructions are too much for the outer loop, not for the inner one: one poll, in the
; outer latch.
; CHECK-LABEL: define void @nest
; CHECK: inner:
; CHECK-NOT: load volatile
; CHECK: outer.latch:
; CHECK: load volatile
; CHECK: ret void
define void @nest(ptr %a) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %outer.latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i.next, %inner ]
  store i64 %j, ptr %a
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, 64
  br i1 %c, label %outer.latch, label %inner
outer.latch:
  %j.next = add i64 %j, 1
  %d = icmp eq i64 %j.next, 64
  br i1 %d, label %done, label %outer
done:
  ret void
}

; A short outer loop round an unbounded inner one does not end soon; it polls in that.
; CHECK-LABEL: define void @unbounded_inner
; CHECK: inner:
; CHECK: load volatile
; CHECK: outer.latch:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @unbounded_inner(ptr %a) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %outer.latch ]
  br label %inner
inner:
  %v = load atomic i64, ptr %a monotonic, align 8
  %c = icmp eq i64 %v, 0
  br i1 %c, label %outer.latch, label %inner
outer.latch:
  %j.next = add i64 %j, 1
  %d = icmp eq i64 %j.next, 4
  br i1 %d, label %done, label %outer
done:
  ret void
}

; What unrolling leaves: at most three trips, and at least one by a branch (or an assumption), so it
; cannot go all the way round.
; CHECK-LABEL: define void @remainder
; CHECK: {{^}}loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @remainder(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  %rest = and i64 %n, 3
  %none = icmp eq i64 %rest, 0
  br i1 %none, label %done, label %pre
pre:
  br label %loop
loop:
  %i = phi i64 [ 0, %pre ], [ %i.next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 0, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, %rest
  br i1 %c, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: define void @assumed
; CHECK: {{^}}loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @assumed(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  %rest = and i64 %n, 3
  %some = icmp ne i64 %rest, 0
  call void @llvm.assume(i1 %some)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 0, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, %rest
  br i1 %c, label %done, label %loop
done:
  ret void
}
declare void @llvm.assume(i1)

; Without that it may start at its bound and go 2^64 times round.
; CHECK-LABEL: define void @maybe_none
; CHECK: load volatile i32
; CHECK: call preserve_allcc void @cairn_poll()
; CHECK: ret void
define void @maybe_none(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  %rest = and i64 %n, 3
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 0, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, %rest
  br i1 %c, label %done, label %loop
done:
  ret void
}

; A leaf of the C library is more than an instruction: 64 calls are not little.
; CHECK-LABEL: define void @leaf_calls
; CHECK: {{^}}loop:
; CHECK: load volatile i32
; CHECK: ret void
declare double @exp(double) "gc-leaf-function"
define void @leaf_calls(double %x) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %y = call double @exp(double %x)
  %i.next = add i32 %i, 1
  %c = icmp slt i32 %i.next, 64
  br i1 %c, label %loop, label %done
done:
  ret void
}
