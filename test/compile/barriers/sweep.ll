; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards --report -S good.ll 2> why | FileCheck good.ll
; RUN: FileCheck --check-prefix=WHY good.ll < why
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=fields -S good.ll | FileCheck --check-prefix=FIELDS good.ll
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards -S other.ll | FileCheck other.ll
; RUN: not %cairn verify --barriers=cards bad.ll 2>&1 | FileCheck bad.ll
;
; A loop that stores to one place after the other marks the cards of all passes before it. Wrong: the range misses the
; first place or the last, or a place in between that the collector forgets at a safepoint; or it has cards to which the
; loop does not store, as many as an unsigned number has values.

;--- good.ll
; WHY: remark: in function 'up': no barrier: the cards of all passes are marked before the loop [barrier-elided]
; FIELDS-COUNT-8: call void @cairn.barrier.store(
; FIELDS-NOT: swept

; CHECK-LABEL: define void @up(
; CHECK: %[[ALL:[0-9]+]] = sub i64 %n, 0
; CHECK: %[[MORE:[0-9]+]] = add i64 %[[ALL]], -1
; CHECK: %[[ON:[0-9]+]] = mul i64 %[[MORE]], 8
; CHECK: %swept = getelementptr i8, ptr addrspace(1) %a, i64 0
; CHECK: %[[BYTES:[0-9]+]] = add i64 %[[ON]], 8
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %swept, i64 %[[BYTES]])
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @up(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr inbounds ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}

; From the last place down to the first.
; CHECK-LABEL: define void @down(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %swept,
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @down(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %end = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %n
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %not = xor i64 %i, -1
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %end, i64 %not
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %goes = icmp ne i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; Several stores of one pass, of more than one reference too, and a pointer that goes on by itself: one range. Blocks
; within the pass do no harm.
; CHECK-LABEL: define void @several(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %swept,
; CHECK-NOT: swept{{[0-9]}}
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @several(ptr addrspace(1) %a, ptr addrspace(1) %v, <2 x ptr addrspace(1)> %w, i64 %from, i64 %to, i1 %c) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %next, %last ]
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %q, %last ]
  %x = getelementptr i8, ptr addrspace(1) %p, i64 32
  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %x
  %y = getelementptr i8, ptr addrspace(1) %p, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %y
  br i1 %c, label %on, label %last
on:
  br label %last
last:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 48
  %next = add i64 %i, 2
  %ends = icmp eq i64 %next, %to
  br i1 %ends, label %done, label %loop
done:
  ret void
}

; In chunks, each of which ends in a safepoint: a range for each chunk, after the safepoint.
declare void @f()
; CHECK-LABEL: define void @chunks(
; CHECK: chunk:
; CHECK: call void @cairn.barrier.range(
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @chunks(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %chunk
chunk:
  %start = phi i64 [ 0, %entry ], [ %next, %poll ]
  %far = add i64 %start, 100
  %more = icmp ult i64 %far, %n
  %end = select i1 %more, i64 %far, i64 %n
  br label %loop
loop:
  %i = phi i64 [ %start, %chunk ], [ %next, %loop ]
  %odd = mul i64 %i, 3
  %twice = shl i64 %odd, 1
  %at = sub i64 %twice, %start
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %at
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %end
  br i1 %ends, label %poll, label %loop
poll:
  call void @f()
  %all = icmp eq i64 %next, %n
  br i1 %all, label %done, label %chunk
done:
  ret void
}

; An outer loop without a safepoint: the inner one's range begins elsewhere each time.
; CHECK-LABEL: define void @rows(
; CHECK: row:
; CHECK: call void @cairn.barrier.range(
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %row
row:
  %r = phi i64 [ 0, %entry ], [ %below, %end ]
  %first = mul i64 %r, %n
  %here = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %first
  br label %loop
loop:
  %i = phi i64 [ 0, %row ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %here, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %end, label %loop
end:
  %below = add i64 %r, 1
  %all = icmp eq i64 %below, 8
  br i1 %all, label %done, label %row
done:
  ret void
}

; Reversed in place, up to the middle: a range for either end.
; CHECK-LABEL: define void @halves(
; CHECK: call void @cairn.barrier.range(
; CHECK: call void @cairn.barrier.range(
; CHECK: loop:
; CHECK-NOT: barrier
; CHECK: ret void
define void @halves(ptr addrspace(1) %a, i64 %n, i64 %half) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %low = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  %not = xor i64 %i, -1
  %j = add i64 %not, %n
  %high = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %j
  %first = load ptr addrspace(1), ptr addrspace(1) %low
  %last = load ptr addrspace(1), ptr addrspace(1) %high
  store ptr addrspace(1) %last, ptr addrspace(1) %low
  store ptr addrspace(1) %first, ptr addrspace(1) %high
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %half
  br i1 %ends, label %done, label %loop
done:
  ret void
}

;--- other.ll
; Loops that are no sweeps keep their marks.
declare void @f()
; CHECK-NOT: swept

; A safepoint on a pass.
; CHECK-LABEL: define void @collects(
; CHECK: loop:
; CHECK: call void @cairn.barrier.store(
define void @collects(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  call void @f()
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}

; It may end before the bound, which may be anything.
; CHECK-LABEL: define void @breaks(
; CHECK: loop:
; CHECK: call void @cairn.barrier.store(
define void @breaks(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  %old = load ptr addrspace(1), ptr addrspace(1) %slot
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %found = icmp eq ptr addrspace(1) %old, %v
  br i1 %found, label %done, label %more
more:
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}

; Not on each pass.
; CHECK-LABEL: define void @sometimes(
; CHECK: store:
; CHECK: call void @cairn.barrier.store(
define void @sometimes(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  %old = load ptr addrspace(1), ptr addrspace(1) %slot
  %found = icmp eq ptr addrspace(1) %old, %v
  br i1 %found, label %store, label %more
store:
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  br label %more
more:
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}

; More than a card from pass to pass, of another test, of a bound that changes, and by no constant.
; CHECK-LABEL: define void @apart(
; CHECK-COUNT-4: call void @cairn.barrier.store(
; CHECK: ret void
define void @apart(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n, ptr %m) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %i, 65
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %far
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %loop2, label %loop
loop2:
  %i2 = phi i64 [ 0, %loop ], [ %next2, %loop2 ]
  %slot2 = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i2
  store ptr addrspace(1) %v, ptr addrspace(1) %slot2
  %next2 = add i64 %i2, 3
  %ends2 = icmp ugt i64 %next2, %n
  br i1 %ends2, label %before3, label %loop2
before3:
  br label %loop3
loop3:
  %i3 = phi i64 [ 0, %before3 ], [ %next3, %loop3 ]
  %slot3 = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i3
  store ptr addrspace(1) %v, ptr addrspace(1) %slot3
  %next3 = add i64 %i3, 1
  %bound = load i64, ptr %m
  %ends3 = icmp eq i64 %next3, %bound
  br i1 %ends3, label %before4, label %loop3
before4:
  br label %loop4
loop4:
  %i4 = phi i64 [ 0, %before4 ], [ %next4, %loop4 ]
  %at = phi i64 [ 0, %before4 ], [ %then, %loop4 ]
  %slot4 = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %at
  store ptr addrspace(1) %v, ptr addrspace(1) %slot4
  %then = add i64 %at, %n
  %next4 = add i64 %i4, 1
  %ends4 = icmp eq i64 %next4, %n
  br i1 %ends4, label %done, label %loop4
done:
  ret void
}

; Reversed in place, until two variables meet: after how many passes is not known before the loop.
; CHECK-LABEL: define void @meets(
; CHECK-NOT: range
; CHECK: loop:
; CHECK-COUNT-2: call void @cairn.barrier.store(
; CHECK: ret void
define void @meets(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  %top = add i64 %n, -1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %j = phi i64 [ %top, %entry ], [ %less, %loop ]
  %low = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  %high = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %j
  %first = load ptr addrspace(1), ptr addrspace(1) %low
  %last = load ptr addrspace(1), ptr addrspace(1) %high
  store ptr addrspace(1) %last, ptr addrspace(1) %low
  store ptr addrspace(1) %first, ptr addrspace(1) %high
  %next = add i64 %i, 1
  %less = add i64 %j, -1
  %goes = icmp slt i64 %next, %less
  br i1 %goes, label %loop, label %done
done:
  ret void
}

;--- bad.ll
declare void @cairn.barrier.range(ptr addrspace(1), i64) "gc-leaf-function"
declare void @f()
; One place short at the end.
; CHECK: error: in function 'short': the access at %slot has no barrier of kind cards on every path since the last safepoint [missing-barrier]
define void @short(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %less = sub i64 %n, 1
  %bytes = mul i64 %less, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; It begins one too late.
; CHECK: error: in function 'late': the access at %slot
define void @late(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  %to = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @cairn.barrier.range(ptr addrspace(1) %to, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; Downwards from %a, not upwards.
; CHECK: error: in function 'direction': the access at %slot
define void @direction(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %back = sub i64 0, %i
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %back
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; A safepoint comes between the barrier and the loop, or on a pass; or the barrier is on one path alone.
; CHECK: error: in function 'between': the access at %slot
define void @between(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  call void @f()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; CHECK: error: in function 'on_a_pass': the access at %slot
define void @on_a_pass(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  call void @f()
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; CHECK: error: in function 'one_path': the access at %slot
define void @one_path(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %yes, label %before
yes:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %before
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; The loop counts on while the variable is the bound, or to a bound that changes; or another variable keeps another pace.
; CHECK: error: in function 'other_test': the access at %slot
define void @other_test(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %goes = icmp eq i64 %next, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}
; CHECK: error: in function 'changes': the access at %slot
define void @changes(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %m = phi i64 [ %n, %entry ], [ %further, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 2
  %further = add i64 %m, 1
  %ends = icmp eq i64 %next, %m
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; CHECK: error: in function 'pace': the access at %slot
define void @pace(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = phi i64 [ 0, %entry ], [ %then, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %at
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %then = add i64 %at, 2
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
; CHECK-NOT: error
define void @right(ptr addrspace(1) %a, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
entry:
  %bytes = mul i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 %bytes)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %a, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %loop
done:
  ret void
}
