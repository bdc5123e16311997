; What a definition claims of its polls is proved, not read: with the poll of a recursion gone, the
; attribute that place-safepoints left made all calls of it look like safepoints. A declaration is
; believed.
; RUN: split-file %s %t
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %t/input.ll -o %t/placed.ll
; RUN: grep '"cairn-polls"' %t/placed.ll
; RUN: %cairn verify --check-polls %t/placed.ll
; RUN: sed '/call preserve_allcc token.*cairn_poll_slow/d; /gc.relocate/d; s/%%[a-z.]*relocated[0-9]*/null/g' %t/placed.ll > %t/without.ll
; RUN: not %cairn verify --check-polls %t/without.ll 2>&1 | FileCheck %s
; RUN: %cairn verify %t/without.ll
; CHECK-DAG: in function 'down': it may call @down again and again without a safepoint [recursion-without-poll]
; CHECK-DAG: in function 'loop': its attribute "cairn-polls" promises a safepoint on each way, which is not true of it [false-claim]
; RUN: %cairn verify --check-polls %t/declared.ll
; RUN: sed 's/^declare void @polls() \(.*\)/define void @polls() \1 gc "statepoint-example" { ret void }/' %t/declared.ll > %t/defined.ll
; RUN: not %cairn verify --check-polls %t/defined.ll 2>&1 | FileCheck --check-prefix=DEFINED %s
; DEFINED: in function 'polls': its attribute "cairn-polls" promises a safepoint on each way, which is not true of it [false-claim]

;--- input.ll
target triple = "x86_64-pc-linux-gnu"
define i64 @down(i64 %n) gc "statepoint-example" {
entry:
  %z = icmp eq i64 %n, 0
  br i1 %z, label %out, label %on
on:
  %m = sub i64 %n, 1
  %r = call i64 @down(i64 %m)
  %s = add i64 %r, 1
  ret i64 %s
out:
  ret i64 0
}
define void @loop(i64 %n) gc "statepoint-example" {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %j, %again ]
  %r = call i64 @down(i64 %i)
  %j = add i64 %i, 1
  %e = icmp eq i64 %j, %n
  br i1 %e, label %out, label %again
out:
  ret void
}

;--- declared.ll
target triple = "x86_64-pc-linux-gnu"
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare void @polls() "cairn-polls" "cairn-work"="1"
define void @loop(i64 %n) gc "statepoint-example" {
entry:
  br label %again
again:
  %i = phi i64 [ 0, %entry ], [ %j, %again ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @polls, i32 0, i32 0, i32 0, i32 0)
  %j = add i64 %i, 1
  %e = icmp eq i64 %j, %n
  br i1 %e, label %out, label %again
out:
  ret void
}
