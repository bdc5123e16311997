; Rules run on any front end's IR, optimised or not: a pointer that goes round a loop must not send
; the search for va_list areas round with it.
; RUN: %cairn opt -p rules -S %s | FileCheck %s
; CHECK: define i64 @sum
define i64 @sum(ptr %from, ptr %to) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr [ %from, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %v = load i64, ptr %p
  %t = add i64 %s, %v
  %next = getelementptr i64, ptr %p, i64 1
  %done = icmp eq ptr %next, %to
  br i1 %done, label %out, label %loop
out:
  ret i64 %t
}
