; RUN: split-file %s %t
; RUN: %cairn verify %t/missing.ll
; RUN: not %cairn verify --check-polls %t/missing.ll 2>&1 | FileCheck %t/missing.ll
; RUN: %cairn verify --check-polls %t/right.ll
; RUN: not %cairn verify --check-polls --json %t/missing.ll | FileCheck %s --check-prefix=JSON
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints %root/test/compile/place/loops/loops.ll -o %t/placed.bc
; RUN: %cairn verify --check-polls %t/placed.bc
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints %root/test/compile/place/loops/chunks.ll -o %t/chunks.bc
; RUN: %cairn verify --check-polls %t/chunks.bc
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints %root/test/compile/place/loops/nests.ll -o %t/nests.bc
; RUN: %cairn verify --check-polls %t/nests.bc
; RUN: not %cairn opt -p rewrite-statepoints,verify-safepoints --check-polls -S %root/test/compile/place/loops/loops.ll -o %t/none.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=UNPLACED
; A loop that never polls keeps every other thread waiting for a collection, or lets the heap run out.
; JSON: "rule": "loop-without-poll", "function": "around", {{.*}} "value": "%loop", "path": ["%loop", "%some", "%loop"]
; UNPLACED: [loop-without-poll]

;--- missing.ll
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo() "cairn-polls"
declare void @bar()
; One way round the loop has a safepoint, the other has none.
; CHECK: error: in function 'around': the loop at %loop can run for long without a safepoint [loop-without-poll]
; CHECK-NEXT: path: %loop -> %some -> %loop
define void @around(i1 %c, i1 %d) gc "statepoint-example" {
  br label %loop
loop:
  br i1 %c, label %call, label %some
call:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %loop
some:
  br i1 %d, label %loop, label %out
out:
  ret void
}
; The loop in the middle polls, the one around it does not always come there.
; CHECK: error: in function 'outer': the loop at %head can run
; CHECK-NEXT: path: %head -> %latch -> %head
define void @outer(i1 %c, i1 %d, ptr %p) gc "statepoint-example" {
  br label %head
head:
  br i1 %c, label %inner, label %latch
inner:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br i1 %d, label %inner, label %latch
latch:
  br label %head
}
; No natural loop: two blocks that lead to each other, both entered from outside.
; CHECK: error: in function 'irreducible': the loop at
define void @irreducible(i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  br label %a
}
; A branch on the program's data is no poll.
; CHECK: error: in function 'data': the loop at %loop can run
define void @data(ptr %p) gc "statepoint-example" {
  br label %loop
loop:
  %x = load i64, ptr %p
  %c = icmp eq i64 %x, 0
  br i1 %c, label %loop, label %call
call:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %loop
}
; A call that may reach a safepoint, and one after a flag that is no poll's: neither must.
; CHECK: error: in function 'unknown': the loop at %loop can run
define void @unknown(i1 %c) gc "statepoint-example" {
  br label %loop
loop:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  br i1 %c, label %loop, label %out
out:
  ret void
}
; CHECK: error: in function 'verbose': the loop at %loop can run
@verbose_flag = external global i32
define void @verbose() gc "statepoint-example" {
  br label %loop
loop:
  %x = load i32, ptr @verbose_flag
  %c = icmp eq i32 %x, 0
  br i1 %c, label %loop, label %call
call:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %loop
}
; Bounded, but by 4000 trips of a microsecond.
; CHECK: error: in function 'long': the loop at %loop can run
define void @long() gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 4000
  br i1 %c, label %out, label %loop
out:
  ret void
}
; CHECK-NOT: error

;--- right.ll
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo() "cairn-poll-slow"
declare void @bar() "cairn-polls"
@flag = external global i32
; A poll is a branch on a flag to what is said to be the slow path of one.
define void @poll() gc "statepoint-example" {
  br label %loop
loop:
  %x = load i32, ptr @flag
  %c = icmp eq i32 %x, 0
  br i1 %c, label %loop, label %call
call:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %loop
}
; Each pass calls what polls.
define void @calls(i1 %c) gc "statepoint-example" {
  br label %loop
loop:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @bar, i32 0, i32 0, i32 0, i32 0)
  br i1 %c, label %loop, label %out
out:
  ret void
}
; Seven trips.
define void @short(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  store volatile i64 %i, ptr %p
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 7
  br i1 %c, label %out, label %loop
out:
  ret void
}
; Asks for none.
define void @none(ptr %p) "cairn-nopoll" gc "statepoint-example" {
  br label %loop
loop:
  %c = load volatile i1, ptr %p
  br i1 %c, label %loop, label %out
out:
  ret void
}
; Never run.
define void @unreachable() gc "statepoint-example" {
  ret void
loop:
  br label %loop
}
