; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A chunk of a loop that reads where the data says is shorter than one of a loop that reads in a row: each
; read may miss all caches, and and a chunk of 1024 of them take far more than the budget.

; CHECK-LABEL: define i64 @in_a_row
; CHECK: icmp uge i64 %chunk.before, 4096
define i64 @in_a_row(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %at
  %t = add i64 %s, %x
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i64 %t
}

; CHECK-LABEL: define i64 @anywhere
; CHECK: icmp uge i64 %chunk.before, 256
define i64 @anywhere(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %t, %loop ]
  %at = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %where = load i64, ptr addrspace(1) %at
  %to = getelementptr i64, ptr addrspace(1) %b, i64 %where
  %x = load i64, ptr addrspace(1) %to
  %t = add i64 %s, %x
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret i64 %t
}
