; RUN: %cairn opt -p place-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ll
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ll
; RUN: %cairn opt -p place-safepoints --poll-budget=1000 -S %s | FileCheck %s --check-prefix=PLENTY
; Where each part is short and needs no poll, all of them together may still keep a collection waiting
; for ever so long.

declare void @unknown()
declare void @half() "cairn-work"="30000"
declare i64 @leaf(i64) "gc-leaf-function" "cairn-work"="30000"

; Half a microsecond of calls too many: a poll right after one of them.
; CHECK-LABEL: define void @calls
; CHECK: call void @half()
; CHECK-NEXT: call void @half()
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK-NEXT: call void @half()
; CHECK-NEXT: call void @half()
; CHECK-NEXT: ret void
; PLENTY-LABEL: define void @calls
; PLENTY: call void @half()
; PLENTY-NEXT: call void @half()
; PLENTY-NEXT: call void @half()
; PLENTY-NEXT: call void @half()
define void @calls() gc "statepoint-example" {
  call void @half()
  call void @half()
  call void @half()
  call void @half()
  ret void
}

; Not within a loop that is short enough to go without polls: before it.
; CHECK-LABEL: define void @loops
; CHECK: middle:
; CHECK: call preserve_allcc void @cairn_poll()
; CHECK-NEXT: br label %second
; CHECK: second:
; CHECK-NOT: threadlocal.address
; CHECK: br i1 %d, label %out, label %second
define void @loops(ptr %p) gc "statepoint-example" {
entry:
  call void @half()
  call void @half()
  br label %middle
middle:
  %x = load i64, ptr %p
  %z = call i64 @leaf(i64 %x) "cairn-work"="18000"
  br label %second
second:
  %j = phi i64 [ 0, %middle ], [ %m, %second ]
  %y = call i64 @leaf(i64 %x) "cairn-work"="1"
  %m = add i64 %j, 1
  %d = icmp eq i64 %m, 400
  br i1 %d, label %out, label %second
out:
  call void @half()
  ret void
}

; A loop that polls may poll more than once: a pass is too long.
; CHECK-LABEL: define void @pass
; CHECK: loop:
; CHECK-COUNT-2: %poll.asked
; CHECK: br i1 %c
define void @pass(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  call void @half()
  call void @half()
  call void @half()
  %c = load volatile i1, ptr %p
  br i1 %c, label %loop, label %out
out:
  ret void
}

; Leaves are no places to stop after, but nothing speaks against it here.
; CHECK-LABEL: define i64 @leaves
; CHECK: threadlocal.address
; CHECK: %b = call i64 @leaf
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
define i64 @leaves(i64 %n) gc "statepoint-example" {
  %a = call i64 @leaf(i64 %n)
  %b = call i64 @leaf(i64 %a)
  %c = call i64 @leaf(i64 %b)
  ret i64 %c
}
