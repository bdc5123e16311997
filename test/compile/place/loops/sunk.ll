; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck --check-prefix=ALL %s
; The entry poll stands where it is first needed: before the first call that closes a cycle of calls,
; or before more than a microsecond of work. Ways that return without any of that pay nothing. A
; poll too few would let a recursion run without a safepoint.

; CHECK-LABEL: define i64 @fib
; CHECK-NOT: load volatile
; CHECK: {{^}}more:
; CHECK: load volatile
; CHECK: call i64 @fib(i64 %m)
; CHECK-NOT: load volatile
; CHECK: call i64 @fib(i64 %k)
; CHECK: load volatile
; CHECK: {{^}}small:
; CHECK-NOT: load volatile
; CHECK: ret i64
; ALL-LABEL: define i64 @fib
; ALL: load volatile
; ALL: {{^}}more:
; ALL-NOT: load volatile
; ALL: call i64 @fib
define i64 @fib(i64 %n) gc "statepoint-example" {
  %c = icmp slt i64 %n, 2
  br i1 %c, label %small, label %more
more:
  %m = sub i64 %n, 1
  %a = call i64 @fib(i64 %m)
  %k = sub i64 %n, 2
  %b = call i64 @fib(i64 %k)
  %s = add i64 %a, %b
  ret i64 %s
small:
  ret i64 %n
}

; All ways need it: one poll, before they part, and after what comes before.
; CHECK-LABEL: define i64 @both
; CHECK-NOT: load volatile
; CHECK: {{^}}common:
; CHECK: load volatile
; CHECK-NOT: load volatile
; CHECK: call i64 @both(
; CHECK: {{^}}out:
define i64 @both(i64 %n, i1 %c, i1 %d) gc "statepoint-example" {
  br i1 %c, label %common, label %out
common:
  br i1 %d, label %left, label %right
left:
  %l = call i64 @both(i64 1, i1 %c, i1 %d)
  ret i64 %l
right:
  %r = call i64 @both(i64 2, i1 %c, i1 %d)
  ret i64 %r
out:
  ret i64 %n
}

; Two ways of three need it, which are taken rarely: a poll on each, and none on the third.
; They are calls of the stub.
; CHECK-LABEL: define i64 @rare
; CHECK-NOT: load volatile
; CHECK: {{^}}left:
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK: {{^}}right:
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK: {{^}}out:
define i64 @rare(i64 %n) gc "statepoint-example" {
  switch i64 %n, label %out [ i64 1, label %left
                              i64 2, label %right ], !prof !0
left:
  %l = call i64 @rare(i64 1)
  ret i64 %l
right:
  %r = call i64 @rare(i64 2)
  ret i64 %r
out:
  ret i64 %n
}

; The same, taken often: then one poll for both.
; CHECK-LABEL: define i64 @often
; CHECK: load volatile
; CHECK: switch
; CHECK-NOT: load volatile
; CHECK: call i64 @often(i64 1)
define i64 @often(i64 %n) gc "statepoint-example" {
  switch i64 %n, label %out [ i64 1, label %left
                              i64 2, label %right ], !prof !1
left:
  %l = call i64 @often(i64 1)
  br label %out
right:
  %r = call i64 @often(i64 2)
  br label %again
again:
  %q = call i64 @often(i64 2)
  br label %out
out:
  ret i64 %n
}

; A poll in the loop that the calls are in covers them, and no loop gets one that is not its own.
; CHECK-LABEL: define void @in_loop
; CHECK-NOT: load volatile
; CHECK: {{^}}pre:
; CHECK: load volatile
; CHECK: {{^}}loop:
define void @in_loop(i64 %n, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %pre, label %out
pre:
  br label %loop
loop:
  %i = phi i64 [ 0, %pre ], [ %i.next, %latch ]
  %d = icmp eq i64 %i, 3
  br i1 %d, label %call, label %latch
call:
  call void @in_loop(i64 %i, i1 %c)
  br label %latch
latch:
  %i.next = add i64 %i, 1
  %e = icmp eq i64 %i.next, 8
  br i1 %e, label %out, label %loop
out:
  ret void
}

; Two calls of which one runs half as often, after a test: one poll at the test is not come by
; much more often than two after it would be, and costs less (Ackermann's function).
; CHECK-LABEL: define i64 @two_calls
; CHECK-NOT: load volatile
; CHECK: {{^}}more:
; CHECK: load volatile
; CHECK: {{^}}first:
; CHECK-NOT: load volatile
; CHECK: call i64 @two_calls
; CHECK: {{^}}second:
; CHECK-NOT: load volatile
; CHECK: call i64 @two_calls
define i64 @two_calls(i64 %n, i64 %m) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %d = icmp eq i64 %m, 0
  br i1 %d, label %join, label %first
first:
  %k = sub i64 %m, 1
  %a = call i64 @two_calls(i64 %n, i64 %k)
  br label %join
join:
  %v = phi i64 [ 1, %more ], [ %a, %first ]
  %e = icmp eq i64 %v, 1
  br i1 %e, label %out, label %second
second:
  %b = call i64 @two_calls(i64 1, i64 %v)
  br label %out
out:
  %r = phi i64 [ 0, %0 ], [ %v, %join ], [ %b, %second ]
  ret i64 %r
}

; It is not put off past half of a copy, or while an integer holds an address.
; CHECK-LABEL: define i64 @held
; CHECK: load volatile
; CHECK: %a = ptrtoint
; CHECK-NOT: load volatile
; CHECK: call i64 @held
; CHECK: load volatile
; CHECK: ret i64 0
define i64 @held(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) gc "statepoint-example" {
  %a = ptrtoint ptr addrspace(1) %p to i64
  br i1 %c, label %more, label %out
more:
  %b = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %a, %b
  %r = call i64 @held(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c)
  %s = add i64 %d, %r
  ret i64 %s
out:
  ret i64 0
}

; Much work in one piece: a way that does little is spared.
; CHECK-LABEL: define i64 @long
; CHECK-NOT: load volatile
; CHECK: br i1
; CHECK: {{^}}heavy:
; CHECK: load volatile
; CHECK: {{^}}out:
; CHECK-NOT: load volatile
; CHECK: ret i64
define i64 @long(double %x, i1 %c) gc "statepoint-example" {
  br i1 %c, label %heavy, label %out
heavy:
  %a = call double @exp(double %x)
  %b = call double @exp(double %a)
  %d = call double @exp(double %b)
  %e = call double @exp(double %d)
  %f = call double @exp(double %e)
  %g = call double @exp(double %f)
  %h = call double @exp(double %g)
  %i = call double @exp(double %h)
  %j = fptosi double %i to i64
  ret i64 %j
out:
  ret i64 0
}
declare double @exp(double)

!0 = !{!"branch_weights", i32 1000, i32 1, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000, i32 1000}
