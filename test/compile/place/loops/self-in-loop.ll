; A loop that calls its own function on each pass, as the optimiser makes of a recursion: the poll on entry serves the cycle of
; calls and the loop, and runs as often as one in the loop would. In the loop, it would stand between the call and the branch
; and cost a tenth on a walk of a tree.
; RUN: %cairn opt -S -p place-safepoints,rewrite-statepoints,verify-safepoints %s | FileCheck %s
; RUN: %cairn opt --disable-output --report -p place-safepoints %s 2>&1 | FileCheck --check-prefix=REPORT %s
; REPORT-NOT: 'walk': no poll on entry
; REPORT: polls on entry, also for its loops that call it
; REPORT-NOT: 'walk': no poll on entry

define i64 @walk(ptr addrspace(1) %node) gc "statepoint-example" {
; CHECK-LABEL: define i64 @walk(
; CHECK: %poll{{.*}} = load volatile i64
; CHECK: loop:
; CHECK-NOT: load volatile
; CHECK: @walk
; CHECK-NOT: load volatile
; CHECK: }
entry:
  %none = icmp eq ptr addrspace(1) %node, null
  br i1 %none, label %out, label %loop
loop:
  %at = phi ptr addrspace(1) [ %node, %entry ], [ %right, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %left = load ptr addrspace(1), ptr addrspace(1) %at
  %below = call i64 @walk(ptr addrspace(1) %left)
  %more = add i64 %below, %sum
  %slot = getelementptr i8, ptr addrspace(1) %at, i64 8
  %right = load ptr addrspace(1), ptr addrspace(1) %slot
  %end = icmp eq ptr addrspace(1) %right, null
  br i1 %end, label %out, label %loop
out:
  %result = phi i64 [ 0, %entry ], [ %more, %loop ]
  ret i64 %result
}

; Not on each pass: the loop polls, too.
define void @some(ptr addrspace(1) %node, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @some(
; CHECK: loop:
; CHECK: %poll{{.*}} = load volatile i64
; CHECK: }
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %word = load volatile i64, ptr addrspace(1) %node
  %wanted = icmp eq i64 %word, 0
  br i1 %wanted, label %deeper, label %latch
deeper:
  call void @some(ptr addrspace(1) %node, i64 %word)
  br label %latch
latch:
  %next = add i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}

; Another definition may take the place of a weak one, so what it calls need not poll.
define weak void @replaced(ptr addrspace(1) %node) gc "statepoint-example" {
; CHECK-LABEL: define weak void @replaced(
; CHECK: loop:
; CHECK: %poll{{.*}} = load volatile i64
; CHECK: }
entry:
  br label %loop
loop:
  call void @replaced(ptr addrspace(1) %node)
  %word = load i64, ptr addrspace(1) %node
  %again = icmp ne i64 %word, 0
  br i1 %again, label %loop, label %out
out:
  ret void
}
