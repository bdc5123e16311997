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
; What is noted of a loop counts only where the loop counts, and is said to be taken on trust; so are
; the loops of functions without safepoints, if they end at all.
; RUN: not %cairn verify --check-polls %t/trusted.ll 2>&1 | FileCheck --check-prefix=TRUST %s
; TRUST-DAG: warning: in function 'counts': taken on trust, as place-safepoints noted (!cairn.bounded): 1 loop in it ends soon (%loop) [trusted-bound]
; TRUST-DAG: error: in function 'follows': the loop at %loop can run for long without a safepoint [loop-without-poll]
; TRUST-DAG: warning: in function 'quiet': taken on trust, since it asked for no polls: 1 loop in it ends soon (%loop) [trusted-bound]
; TRUST-DAG: warning: in function 'leaf': taken on trust, since it is a leaf and has no safepoints: 2 loops in it end soon (%{{loop|again}} and others) [trusted-bound]
; TRUST-DAG: error: in function 'stuck': the loop at %loop can run for long without a safepoint [loop-without-poll]
; RUN: not %cairn verify --time-to-safepoint %t/trusted.ll | FileCheck --check-prefix=TIME %s
; TIME: {{^}}@counts: no safepoint, through 7.00 us
; TIME: {{^}}@follows: no safepoint, through unbounded
; TIME-NEXT: {{.*}}loop %loop: unbounded: it ends when the data says so

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

;--- trusted.ll
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare void @foo()
define void @counts(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %d = icmp eq i64 %j, %n
  br i1 %d, label %out, label %loop, !cairn.bounded !0
out:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
define void @follows(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %q
  %d = icmp eq ptr %next, null
  br i1 %d, label %out, label %loop, !cairn.bounded !0
out:
  ret void
}
define void @quiet(ptr %p) "cairn-nopoll" gc "statepoint-example" {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %q
  %d = icmp eq ptr %next, null
  br i1 %d, label %out, label %loop
out:
  ret void
}
define void @leaf(ptr %p) "gc-leaf-function" gc "statepoint-example" {
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %q
  %d = icmp eq ptr %next, null
  br i1 %d, label %again, label %loop
again:
  %r = phi ptr [ %p, %loop ], [ %after, %again ]
  %after = load ptr, ptr %r
  %e = icmp eq ptr %after, null
  br i1 %e, label %out, label %again
out:
  ret void
}
define void @stuck() "gc-leaf-function" gc "statepoint-example" {
entry:
  br label %loop
loop:
  br label %loop
}
!0 = !{i64 12000}
