; Assembly does not throw unless it says so, so what runs before the poll on entry leaves no way out without one. Wrong: a loop
; that leaves its polls to the calls of its own function, said to be without (first function, as at -O0, where locals
; that hold references are shown to assembly); or a throw that is not seen (second).
; RUN: not %cairn verify --time-to-safepoint %s | FileCheck %s

; CHECK: @walk: enter
; CHECK-NOT: through
; CHECK-NOT: unbounded
; CHECK: @throws:{{.*}} through
; CHECK: loop %loop: unbounded
target triple = "x86_64-unknown-linux-gnu"

@flag = external global i64
declare preserve_allcc void @cairn_poll_slow() nounwind

define internal i64 @walk(ptr addrspace(1) %node) gc "statepoint-example" {
entry:
  call void asm sideeffect "", "r,~{memory}"(ptr null)
  %poll = load volatile i64, ptr @flag
  %asked = icmp ne i64 %poll, 0
  br i1 %asked, label %slow, label %loop
slow:
  call preserve_allcc void @cairn_poll_slow()
  br label %loop
loop:
  %left = load volatile ptr addrspace(1), ptr addrspace(1) %node
  %below = call i64 @walk(ptr addrspace(1) %left)
  %end = icmp eq i64 %below, 0
  br i1 %end, label %out, label %loop
out:
  ret i64 %below
}

define internal i64 @throws(ptr addrspace(1) %node) gc "statepoint-example" {
entry:
  call void asm sideeffect unwind "", "r,~{memory}"(ptr null)
  %poll = load volatile i64, ptr @flag
  %asked = icmp ne i64 %poll, 0
  br i1 %asked, label %slow, label %loop
slow:
  call preserve_allcc void @cairn_poll_slow()
  br label %loop
loop:
  %left = load volatile ptr addrspace(1), ptr addrspace(1) %node
  %below = call i64 @throws(ptr addrspace(1) %left)
  %end = icmp eq i64 %below, 0
  br i1 %end, label %out, label %loop
out:
  ret i64 %below
}
