; RUN: not %cairn verify --time-to-safepoint %s | FileCheck %s
; Functions that call each other: a safepoint must be on each way round, and what is assumed of a
; callee before it was looked at must hold in the end.

declare void @polls() "cairn-polls" "cairn-work"="10"

; CHECK: {{^}}@polls_first: enter 0.01 us (15), between 0.02 us (33), leave 0.01 us (20), recursive{{$}}
; CHECK-NEXT: {{^}}@endless
define i64 @polls_first(i64 %n) gc "statepoint-example" {
  call void @polls()
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @polls_first(i64 %m)
  br label %out
out:
  ret i64 %n
}

; CHECK-SAME: : enter
; CHECK-NEXT: recursion @endless: unbounded: it is called again and again without a safepoint
define i64 @endless(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @endless(i64 %m)
  br label %out
out:
  call void @polls()
  ret i64 %n
}

; The two together poll, on each way round; on the way back @a may not.
; CHECK: {{^}}@a: enter {{.*}}, through {{.*}}, recursive{{$}}
; CHECK-NEXT: {{^}}@b: enter 0.01 us (15), {{.*}}, recursive{{$}}
define void @a(i1 %c) gc "statepoint-example" {
  br i1 %c, label %more, label %out
more:
  call void @b(i1 %c)
  br label %out
out:
  ret void
}
define void @b(i1 %c) gc "statepoint-example" {
  call void @polls()
  call void @a(i1 %c)
  ret void
}

; What @c calls seems to poll until @d has been looked at: then its loop has no bound.
; CHECK: {{^}}@c:
; CHECK-NEXT: loop %loop: unbounded: it ends when the data says so, and the call of @d need not
define void @c(ptr %p) gc "statepoint-example" {
  call void @polls()
  br label %loop
loop:
  call void @d(ptr %p)
  %x = load volatile i1, ptr %p
  br i1 %x, label %loop, label %out
out:
  ret void
}
; CHECK: {{^}}@d: {{.*}}, through
define void @d(ptr %p) gc "statepoint-example" {
  %x = load volatile i1, ptr %p
  br i1 %x, label %out, label %more
more:
  call void @c(ptr %p)
  br label %out
out:
  ret void
}

; Promises that are not kept.
; CHECK: {{^}}@lies:
; CHECK-NEXT: claim: {{.*}}: its attribute "cairn-polls" promises a safepoint on each way
define void @lies() "cairn-polls" gc "statepoint-example" {
  ret void
}
; CHECK: {{^}}@lies_too:
; CHECK-NEXT: claim: 5.01 us (10021): its attribute "cairn-work" promises less
define void @lies_too(ptr %p) "cairn-work"="100" gc "statepoint-example" {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 20000, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; An exception leaves @throws before it polls, so that the loop that catches it may never come to a
; safepoint.
; CHECK: {{^}}@throws: enter {{.*}}, through
declare void @raise()
define void @throws() gc "statepoint-example" {
  call void @raise()
  call void @polls()
  ret void
}
; CHECK: {{^}}@catches:
; CHECK-NEXT: loop %loop: unbounded: it ends when the data says so, and the call of @throws need not
declare i32 @__gxx_personality_v0(...)
define void @catches(ptr %p) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  br label %loop
loop:
  invoke void @throws() to label %out unwind label %pad
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %x = load volatile i1, ptr %p
  br i1 %x, label %loop, label %out
out:
  ret void
}
