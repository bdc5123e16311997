; That the loops end soon which place-safepoints has cut, or copied for few trips, is proved: their bound
; is at a known distance from their start. Wrong: to take it on trust (trusted-bound), or to call a loop
; short that is not.
; RUN: split-file %s %t
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %t/cut.ll -o %t/placed.ll
; RUN: grep -c 'cairn.bounded' %t/placed.ll | FileCheck --check-prefix=NOTED %s
; NOTED: 8
; RUN: %cairn verify --check-polls %t/placed.ll 2>&1 | count 0
; With longer chunks than were noted, or other tests of what is left, it is not.
; RUN: sed '/chunk.next = /s/ \(-*[0-9][0-9]*\)$/ \10/' %t/placed.ll > %t/longer.ll
; RUN: %cairn verify --check-polls %t/longer.ll 2>&1 | FileCheck --check-prefix=LONGER %s
; LONGER: 'up': taken on trust, {{.*}} 1 loop in it ends soon
; LONGER: 'down': taken on trust, {{.*}} 1 loop in it ends soon
; LONGER: 'strides': taken on trust, {{.*}} 1 loop in it ends soon
; LONGER: 'pointer': taken on trust, {{.*}} 1 loop in it ends soon
; LONGER: 'order': taken on trust, {{.*}} 1 loop in it ends soon
; LONGER: 'wraps': taken on trust, {{.*}} 1 loop in it ends soon
; RUN: sed '/chunk.far = icmp/s/icmp u[a-z]* \(.*\) [0-9]*$/icmp slt \1 64/; s/chunk.misses = icmp ne/chunk.misses = icmp eq/' %t/placed.ll > %t/tests.ll
; RUN: %cairn verify --check-polls %t/tests.ll 2>&1 | FileCheck --check-prefix=TESTS %s
; TESTS: 'up': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'down': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'strides': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'pointer': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'order': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'wraps': taken on trust, {{.*}} 1 loop in it ends soon
; TESTS: 'found': taken on trust, {{.*}} 1 loop in it ends soon
; A step that is not known must be small, and what follows the last chunk of it must end at once.
; RUN: sed 's/\(chunk.step = icmp ult .*,\) .*/\1 -1/' %t/placed.ll > %t/any.ll
; RUN: %cairn verify --check-polls %t/any.ll 2>&1 | FileCheck --check-prefix=ANY %s
; ANY: 'any_step': taken on trust, {{.*}} 1 loop in it ends soon
; RUN: sed 's/-9223372036854775808$/0/' %t/placed.ll > %t/zero.ll
; RUN: %cairn verify --check-polls %t/zero.ll 2>&1 | FileCheck --check-prefix=ANY %s
; RUN: not %cairn verify --time-to-safepoint %t/hand.ll | FileCheck --check-prefix=HAND %s

;--- cut.ll
target triple = "x86_64-pc-linux-gnu"
define i64 @up(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %j = add nuw i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret i64 %t
}
define i64 @down(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %j = add i64 %i, -1
  %c = icmp eq i64 %i, 0
  br i1 %c, label %out, label %loop
out:
  ret i64 %t
}
define i64 @strides(ptr addrspace(1) %a, i64 %m, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %j = add i64 %i, 6
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret i64 %t
}
define i64 @pointer(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %q, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %q = getelementptr inbounds i64, ptr addrspace(1) %p, i64 1
  %c = icmp eq ptr addrspace(1) %b, %q
  br i1 %c, label %out, label %loop
out:
  ret i64 %t
}
define i64 @order(ptr addrspace(1) %a, i32 %m, i32 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i32 [ %m, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i32 %i
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %j = add nsw i32 %i, 3
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i64 %t
}
define i64 @wraps(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %t = add i64 %s, %v
  %j = add i64 %i, 4
  %c = icmp ne i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret i64 %t
}
define void @any_step(ptr addrspace(1) %a, i64 %m, i64 %n, i64 %step) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  store i8 0, ptr addrspace(1) %p
  %j = add nsw i64 %i, %step
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
; A copy for few trips, with two exits.
define i64 @found(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %at = udiv i64 %i, %n
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at
  %v = load i8, ptr addrspace(1) %p
  %e = icmp eq i8 %v, 0
  br i1 %e, label %out, label %next
next:
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret i64 %i
}

;--- hand.ll
; Loops of at most 64 trips, by a minimum or after a test of what is left, and what looks like them.
; HAND: {{^}}@tiled: no safepoint, through 0.
; HAND: {{^}}@other_order: no safepoint, through unbounded
; HAND: {{^}}@may_wrap: no safepoint, through unbounded
; HAND: {{^}}@guarded: no safepoint, through 0.
; HAND: {{^}}@none_left: no safepoint, through unbounded
; HAND: {{^}}@misses: no safepoint, through unbounded
; HAND: {{^}}@frozen: no safepoint, through 0.
; HAND: {{^}}@frozen_beside: no safepoint, through unbounded
; HAND: {{^}}@undefined_to_miss: no safepoint, through 0.
; HAND: {{^}}@may_not_return: no safepoint, through unbounded
; HAND: {{^}}@other_start: no safepoint, through unbounded
; HAND: {{^}}@backwards: no safepoint, through unbounded
; HAND: {{^}}@onwards: no safepoint, through 0.
target triple = "x86_64-pc-linux-gnu"
declare i64 @llvm.smin.i64(i64, i64)
declare void @foreign() "gc-leaf-function"
define void @tiled(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %far = add i64 %s, 64
  %end = call i64 @llvm.smin.i64(i64 %n, i64 %far)
  br label %loop
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add nsw i64 %i, 1
  %c = icmp sgt i64 %end, %j
  br i1 %c, label %loop, label %out
out:
  ret void
}
define void @other_order(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %far = add i64 %s, 64
  %end = call i64 @llvm.smin.i64(i64 %n, i64 %far)
  br label %loop
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add nuw nsw i64 %i, 1
  %c = icmp ugt i64 %end, %j
  br i1 %c, label %loop, label %out
out:
  ret void
}
define void @may_wrap(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %far = add i64 %s, 64
  %end = call i64 @llvm.smin.i64(i64 %n, i64 %far)
  br label %loop
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 3
  %c = icmp sgt i64 %end, %j
  br i1 %c, label %loop, label %out
out:
  ret void
}
define void @guarded(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %before = add i64 %left, -1
  %near = icmp ult i64 %before, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @none_left(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %near = icmp ult i64 %left, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @misses(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %before = add i64 %left, -1
  %near = icmp ult i64 %before, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 2
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @frozen(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %before = add i64 %left, -1
  %far = icmp uge i64 %before, 64
  %rest = and i64 %left, 1
  %odd = icmp ne i64 %rest, 0
  %or = or i1 %far, %odd
  %f = freeze i1 %or
  br i1 %f, label %out, label %loop
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 2
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
; %x may be poison, so that the test says nothing.
define void @frozen_beside(ptr %a, i64 %s, i64 %n, i1 %x) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %before = add i64 %left, -1
  %far = icmp uge i64 %before, 64
  %or = or i1 %far, %x
  %f = freeze i1 %or
  br i1 %f, label %out, label %loop
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @undefined_to_miss(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %near = icmp ult i64 %left, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add nuw i64 %i, 2
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @may_not_return(ptr %a, i64 %s, i64 %n) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %near = icmp ult i64 %left, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  call void @foreign()
  %j = add nuw i64 %i, 2
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
define void @other_start(ptr %a, i64 %s, i64 %n, i64 %t) gc "statepoint-example" {
entry:
  %left = sub i64 %n, %s
  %before = add i64 %left, -1
  %near = icmp ult i64 %before, 64
  br i1 %near, label %loop, label %out
loop:
  %i = phi i64 [ %t, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add i64 %i, 1
  %c = icmp eq i64 %j, %n
  br i1 %c, label %out, label %loop
out:
  ret void
}
; From beyond the bound, with a step that may lead back, or not.
define void @backwards(ptr %a, i64 %s, i64 %n, i64 %step) gc "statepoint-example" {
entry:
  %over = icmp sge i64 %s, %n
  %few = icmp ult i64 %step, -8
  %both = and i1 %over, %few
  br i1 %both, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add nsw i64 %i, %step
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
define void @onwards(ptr %a, i64 %s, i64 %n, i64 %step) gc "statepoint-example" {
entry:
  %over = icmp sge i64 %s, %n
  %few = icmp ult i64 %step, 1000
  %both = and i1 %over, %few
  br i1 %both, label %loop, label %out
loop:
  %i = phi i64 [ %s, %entry ], [ %j, %loop ]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 0, ptr %p
  %j = add nsw i64 %i, %step
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
