; Without `backedge` loops are left as they are. Wrong: chunks or copies of bodies for polls that nobody
; asked for; a crash at a cycle with two entries, which is no natural loop; a remark that it is one that
; does little.
; RUN: %cairn opt --report --polls=entry -p place-safepoints -S %s 2>&1 | FileCheck %s
; RUN: %cairn opt --report --polls=entry,call -p place-safepoints -S %s 2>&1 | FileCheck %s
; RUN: %cairn opt --report --polls=none -p place-safepoints -S %s 2>&1 | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

declare i1 @more()

; CHECK-NOT: {{chunks|copies|the latch|polls on each|units of work}}
; CHECK-LABEL: define void @irreducible
; CHECK: {{^}}left:
; CHECK-NOT: poll.asked
; CHECK: ret void
define void @irreducible(i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %left, label %right
left:
  %a = call i1 @more()
  br i1 %a, label %right, label %out
right:
  %b = call i1 @more()
  br i1 %b, label %left, label %out
out:
  ret void
}

; CHECK-LABEL: define i64 @counts
; CHECK: {{^}}loop:
; CHECK: br i1 %more, label %loop, label %out
; CHECK-NOT: add
; CHECK: ret i64
define i64 @counts(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %s.next, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %p, i64 %i
  %x = load i64, ptr addrspace(1) %at
  %s.next = add i64 %s, %x
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %out
out:
  ret i64 %s.next
}
