; A loop that calls its own function on each pass, as the optimiser makes of a recursion: one poll right before the call
; serves the cycle of calls and the loop. After the call it would stand between call and branch. On entry it would come
; before the test that ends the recursion: each leaf of a tree would poll, and save registers for that.
; RUN: %cairn opt -S -p place-safepoints,rewrite-statepoints,verify-safepoints --check-polls %s | FileCheck %s
; RUN: %cairn opt --disable-output --report -p place-safepoints %s 2>&1 | FileCheck --check-prefix=REPORT %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %s -o %t.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ll | FileCheck --check-prefix=TIME %s
; REPORT-DAG: 'walk': no poll on entry
; REPORT-DAG: 'walk': polls here, for the call of itself and the loop round it
; TIME: {{^}}@walk: enter {{.*}}, recursive
; TIME-DAG: {{^}}@three: enter {{.*}}, recursive
; TIME-DAG: {{^}}@both: enter {{.*}}, recursive

define i64 @walk(ptr addrspace(1) %node) gc "statepoint-example" {
; CHECK-LABEL: define i64 @walk(
; CHECK-NOT: = load volatile i32, ptr %
; CHECK: loop:
; CHECK: %poll{{.*}} = load volatile i32
; CHECK: poll.done:
; CHECK-NEXT: phi
; CHECK-NEXT: phi
; CHECK-NEXT: @walk
; CHECK-NOT: = load volatile i32, ptr %
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

; Two calls on each pass: on each way to the second one it has polled before the first.
define void @three(ptr addrspace(1) %node) gc "statepoint-example" {
; CHECK-LABEL: define void @three(
; CHECK-NOT: = load volatile i32, ptr %
; CHECK: loop:
; CHECK: load volatile
; CHECK: @three
; CHECK-NOT: = load volatile i32, ptr %
; CHECK: @three
; CHECK-NOT: = load volatile i32, ptr %
; CHECK: }
entry:
  %none = icmp eq ptr addrspace(1) %node, null
  br i1 %none, label %out, label %loop
loop:
  %at = phi ptr addrspace(1) [ %node, %entry ], [ %right, %second ]
  %left = load ptr addrspace(1), ptr addrspace(1) %at
  call void @three(ptr addrspace(1) %left)
  br label %second
second:
  %middle.slot = getelementptr i8, ptr addrspace(1) %at, i64 8
  %middle = load ptr addrspace(1), ptr addrspace(1) %middle.slot
  call void @three(ptr addrspace(1) %middle)
  %slot = getelementptr i8, ptr addrspace(1) %at, i64 16
  %right = load ptr addrspace(1), ptr addrspace(1) %slot
  %end = icmp eq ptr addrspace(1) %right, null
  br i1 %end, label %out, label %loop
out:
  ret void
}

; A loop in a loop: the inner one does not run the outer one's call, and polls before its own. The call before them needs
; a poll of its own: what it calls may come to it again.
define void @both(ptr addrspace(1) %node) gc "statepoint-example" {
; CHECK-LABEL: define void @both(
; CHECK: load volatile
; CHECK: more:
; CHECK: @both
; CHECK: outer:
; CHECK: load volatile
; CHECK: @both
; CHECK: inner:
; CHECK: load volatile
; CHECK: @both
; CHECK-NOT: = load volatile i32, ptr %
; CHECK: }
entry:
  %none = icmp eq ptr addrspace(1) %node, null
  br i1 %none, label %out, label %more
more:
  call void @both(ptr addrspace(1) null)
  br label %outer
outer:
  call void @both(ptr addrspace(1) null)
  br label %inner
inner:
  call void @both(ptr addrspace(1) null)
  %word = load volatile i64, ptr addrspace(1) %node
  %again = icmp ne i64 %word, 0
  br i1 %again, label %inner, label %latch
latch:
  %other = load volatile i64, ptr addrspace(1) %node
  %more.left = icmp ne i64 %other, 0
  br i1 %more.left, label %outer, label %out
out:
  ret void
}

; Two ways round, one with a call: each polls.
define void @two(ptr addrspace(1) %node, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @two(
; CHECK: deeper:
; CHECK: %poll{{.*}} = load volatile i32
; CHECK: @two
; CHECK: other:
; CHECK: %poll{{.*}} = load volatile i32
; CHECK: }
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %deeper ], [ %next, %other ]
  %next = add i64 %i, 1
  %word = load volatile i64, ptr addrspace(1) %node
  %wanted = icmp eq i64 %word, 0
  br i1 %wanted, label %deeper, label %other
deeper:
  call void @two(ptr addrspace(1) %node, i64 %word)
  br label %loop
other:
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %out
out:
  ret void
}

; Not on each pass: the loop polls, too.
define void @some(ptr addrspace(1) %node, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @some(
; CHECK: loop:
; CHECK: %poll{{.*}} = load volatile i32
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
; CHECK: %poll{{.*}} = load volatile i32
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
