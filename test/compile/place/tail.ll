; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; A tail call is no safepoint: its caller's frame is gone. So there is a poll before it, or a loop of
; tail calls would keep every collection waiting.

; CHECK-LABEL: define void @forever
; CHECK: load volatile i32
; CHECK: poll.done:
; CHECK: %moved = phi ptr addrspace(1) [ %p, %0 ], [ %p.relocated, %poll.slow ]
; CHECK: musttail call void @forever(ptr addrspace(1) %moved)
; CHECK: poll.slow:
; CHECK: statepoint{{.*}}@cairn_poll_slow
define void @forever(ptr addrspace(1) %p) gc "statepoint-example" {
  musttail call void @forever(ptr addrspace(1) %p)
  ret void
}

; The same for one that becomes a tail call, on one of several ways. One poll each time round will
; do: it is in the other function.
; CHECK-LABEL: define i64 @ping
; CHECK-NOT: load volatile
; CHECK: musttail call i64 @pong
define i64 @ping(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = tail call i64 @pong(i64 %m)
  ret i64 %r
out:
  ret i64 0
}
; CHECK-LABEL: define i64 @pong
; CHECK: load volatile i32
; CHECK: musttail call i64 @ping
define i64 @pong(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @ping(i64 %n)
  ret i64 %r
}
