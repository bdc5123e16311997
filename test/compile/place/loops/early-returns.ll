; A way that returns before any call gets a return of its own, so that the registers which the calls
; need are saved after the test alone, as in plain C: each leaf of a tree would save them otherwise. (A
; loop that calls its own function has its poll at the entry: self-in-loop.ll.)
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --polls=backedge -S %s | FileCheck %s --check-prefix=EDGES
; RUN: %cairn-cc -O2 -S %s -o - | FileCheck %s --check-prefix=CODE
target triple = "x86_64-unknown-linux-gnu"

; CODE-LABEL: walk:
; CODE-NOT: push
; CODE: testq %rdi, %rdi
; CODE-NEXT: je [[EARLY:\.LBB[0-9_]+]]
; CODE: push
; CODE: [[EARLY]]:
; CODE-NOT: pop
; CODE: xorl %eax, %eax
; CODE-NEXT: retq
declare i64 @visit(ptr addrspace(1))
define i64 @walk(ptr addrspace(1) %p) gc "statepoint-example" {
; CHECK-LABEL: define i64 @walk(
; CHECK: br i1 %none, label %[[EARLY:.*]], label %again
; CHECK: end:
; CHECK-NEXT: [[SUM:%.*]] = phi i64 [ %next, %{{.*}} ]
; CHECK-NEXT: ret i64 [[SUM]]
; CHECK: [[EARLY]]:
; CHECK-NEXT: [[ZERO:%.*]] = phi i64 [ 0, %entry ]
; CHECK-NEXT: ret i64 [[ZERO]]
entry:
  %none = icmp eq ptr addrspace(1) %p, null
  br i1 %none, label %end, label %again
again:
  %here = phi ptr addrspace(1) [ %p, %entry ], [ %right, %again ]
  %sum = phi i64 [ 0, %entry ], [ %next, %again ]
  %left = load ptr addrspace(1), ptr addrspace(1) %here
  %a = call i64 @visit(ptr addrspace(1) %left)
  %at = getelementptr i8, ptr addrspace(1) %here, i64 8
  %right = load ptr addrspace(1), ptr addrspace(1) %at
  %more = add i64 %sum, %a
  %next = add i64 %more, 1
  %last = icmp eq ptr addrspace(1) %right, null
  br i1 %last, label %end, label %again
end:
  %result = phi i64 [ 0, %entry ], [ %next, %again ]
  ret i64 %result
}

; Two edges of one switch, from before the calls and from after them.
declare void @other()
define i64 @edges(i64 %n) gc "statepoint-example" {
; EDGES-LABEL: define i64 @edges(
; EDGES: i64 1, label %[[EARLY:early.*]]
; EDGES-NEXT: i64 2, label %[[EARLY]]
; EDGES: i64 7, label %end
; EDGES-NEXT: i64 8, label %end
; EDGES: [[EARLY]]:
; EDGES-NEXT: phi i64 [ 5, %entry ], [ 5, %entry ]
entry:
  switch i64 %n, label %work [
    i64 1, label %end
    i64 2, label %end
  ]
work:
  call void @other()
  call void @other()
  switch i64 %n, label %more [
    i64 7, label %end
    i64 8, label %end
  ]
more:
  call void @other()
  br label %end
end:
  %result = phi i64 [ 5, %entry ], [ 5, %entry ], [ 6, %work ], [ 6, %work ], [ 7, %more ]
  ret i64 %result
}
