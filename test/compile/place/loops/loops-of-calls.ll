; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A loop that calls a managed function of the module which surely polls needs no poll of its own. A second poll would cost a recursive function a tenth of its speed; a poll left out where
; some pass makes no such call would let the loop run for ever.

declare void @elsewhere()

; CHECK-LABEL: define void @polls
; CHECK: load volatile
; CHECK: call void @elsewhere()
define void @polls() gc "statepoint-example" {
  call void @elsewhere()
  ret void
}

define void @silent() "cairn-nopoll" gc "statepoint-example" {
  ret void
}

; CHECK-LABEL: define void @each_pass
; CHECK: {{^}}loop:
; CHECK-NOT: load volatile
; CHECK: ret void
define void @each_pass(i1 %x) gc "statepoint-example" {
entry:
  br label %loop
loop:
  br i1 %x, label %one, label %other
one:
  br label %join
other:
  br label %join
join:
  call void @polls()
  br label %latch
latch:
  br i1 %x, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define void @some_passes
; CHECK: {{^}}latch:
; CHECK: load volatile
; CHECK: ret void
define void @some_passes(i1 %x) gc "statepoint-example" {
entry:
  br label %loop
loop:
  br i1 %x, label %one, label %latch
one:
  call void @polls()
  br label %latch
latch:
  br i1 %x, label %loop, label %out
out:
  ret void
}

; Before the loop is not in it.
; CHECK-LABEL: define void @not_in_the_loop
; CHECK: {{^}}loop:
; CHECK: load volatile
; CHECK: ret void
define void @not_in_the_loop(i1 %x) gc "statepoint-example" {
entry:
  call void @polls()
  br label %loop
loop:
  br i1 %x, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define void @no_poll_there
; CHECK: {{^}}loop:
; CHECK: load volatile
; CHECK: call void @silent()
; CHECK: load volatile
; CHECK: call void @elsewhere()
; CHECK: ret void
define void @no_poll_there(i1 %x) gc "statepoint-example" {
entry:
  br label %loop
loop:
  call void @silent()
  br i1 %x, label %loop, label %next
next:
  call void @elsewhere()
  br i1 %x, label %next, label %out
out:
  ret void
}
