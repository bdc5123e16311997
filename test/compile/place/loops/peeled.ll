; RUN: %cairn opt -p place-safepoints -S %s -o %t.ll
; RUN: FileCheck --input-file=%t.ll %s
; RUN: opt -passes=verify -disable-output %t.ll
; A small search that stays rolled makes its first iteration in a copy without a poll. A value that left the copy by
; another way than the loop's would be a broken module, and a missing input of a phi after the loop another result.

; CHECK-LABEL: define ptr addrspace(1) @search
; CHECK: %first = phi ptr addrspace(1) [ %list, %entry ]
; CHECK-NOT: load volatile
; CHECK: br i1 %none{{[0-9]}}, label %early, label %body
; CHECK-NOT: load volatile
; CHECK: br i1 %found{{[0-9]}}, label %early, label %latch
; CHECK-NOT: load volatile
; CHECK: {{^}}loop:
; CHECK: %cell = phi ptr addrspace(1) [ %next, %poll.done{{[0-9]*}} ], [ %next{{[0-9]}}, %latch{{[0-9]}} ]
; CHECK: br i1 %none, label %done
; CHECK: br i1 %found, label %done
; CHECK: load volatile i32
; CHECK: {{^}}early:
; CHECK-NEXT: phi ptr addrspace(1) [ %first, %body{{[0-9]}} ], [ %first, %loop{{[0-9]}} ]
define ptr addrspace(1) @search(ptr addrspace(1) %list, i64 %key) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %cell = phi ptr addrspace(1) [ %list, %entry ], [ %next, %latch ]
  %none = icmp eq ptr addrspace(1) %cell, null
  br i1 %none, label %done, label %body
body:
  %at = getelementptr i8, ptr addrspace(1) %cell, i64 8
  %value = load i64, ptr addrspace(1) %at
  %found = icmp eq i64 %value, %key
  br i1 %found, label %done, label %latch
latch:
  %next = load ptr addrspace(1), ptr addrspace(1) %cell
  br label %loop
done:
  ret ptr addrspace(1) %cell
}

; Two phis that change places.
; CHECK-LABEL: define i64 @swaps
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i64 [ %j, %poll.done{{[0-9]*}} ], [ %first{{[0-9]}}, %latch{{[0-9]}} ]
; CHECK-NEXT: %j = phi i64 [ %k, %poll.done{{[0-9]*}} ], [ %k{{[0-9]}}, %latch{{[0-9]}} ]
; CHECK: ret i64
define i64 @swaps(ptr addrspace(1) %table, i64 %from, i64 %key) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %j, %latch ]
  %j = phi i64 [ %key, %entry ], [ %k, %latch ]
  %p = getelementptr i64, ptr addrspace(1) %table, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %c = icmp eq i64 %v, %key
  br i1 %c, label %done, label %latch
latch:
  %k = and i64 %i, 1023
  %z = icmp eq i64 %v, 0
  br i1 %z, label %done, label %loop
done:
  ret i64 %j
}

; One exit: a walk, not a search.
; CHECK-LABEL: define void @walk
; CHECK: load volatile i32
; CHECK: br i1 %c, label %done, label %loop
; CHECK-NOT: br i1 %c{{[0-9]}}
; CHECK: ret void
define void @walk(ptr addrspace(1) %list) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %next = load ptr addrspace(1), ptr addrspace(1) %p
  %c = icmp eq ptr addrspace(1) %next, null
  br i1 %c, label %done, label %loop
done:
  ret void
}
