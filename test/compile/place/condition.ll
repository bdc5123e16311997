; The poll at the end of a block comes before all comparisons that only its branch needs. Between them and the branch it would
; make the code generator keep the outcome in a register: four instructions more for each such condition.
; RUN: %cairn opt --polls=entry,backedge -S -p place-safepoints %s | FileCheck %s

define i64 @joined(ptr %table, i64 %key) gc "statepoint-example" {
; CHECK-LABEL: define i64 @joined(
; CHECK: %found = load i64, ptr %table
; CHECK-NEXT: call ptr @llvm.threadlocal.address
; CHECK: poll.done:
; CHECK-NEXT: %same = icmp eq i64 %found, %key
; CHECK-NEXT: %empty = icmp eq i64 %found, 0
; CHECK-NEXT: %stop = select i1 %empty, i1 true, i1 %same
; CHECK-NEXT: br i1 %stop
entry:
  %found = load i64, ptr %table
  %empty = icmp eq i64 %found, 0
  %same = icmp eq i64 %found, %key
  %stop = select i1 %empty, i1 true, i1 %same
  br i1 %stop, label %yes, label %no
yes:
  ret i64 %found
no:
  ret i64 0
}

; What is used elsewhere, too, stays.
define i1 @used(i64 %a, i64 %b) gc "statepoint-example" {
; CHECK-LABEL: define i1 @used(
; CHECK: %less = icmp slt i64 %a, %b
; CHECK-NEXT: call ptr @llvm.threadlocal.address
; CHECK: poll.done:
; CHECK-NEXT: %zero = icmp eq i64 %a, 0
; CHECK-NEXT: %both = and i1 %less, %zero
; CHECK-NEXT: br i1 %both
entry:
  %less = icmp slt i64 %a, %b
  %zero = icmp eq i64 %a, 0
  %both = and i1 %less, %zero
  br i1 %both, label %yes, label %no
yes:
  ret i1 %less
no:
  ret i1 false
}
