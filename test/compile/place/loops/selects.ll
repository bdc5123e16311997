; The nearest of a list: the select that remembers it stays a conditional move in a loop that polls. Without the mark, the
; x86 code generator makes a branch of it, which is wrong about half of the time, where plain C has none.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn-cc -O2 -S -o - %s | FileCheck --check-prefix=CODE %s
; RUN: sed '/best.next = select/d; s/ %best.next/ %at/' %s > %t.ll
; RUN: %cairn opt -p place-safepoints -S %t.ll | FileCheck --check-prefix=NONE %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @nearest(
; CHECK: select i1 %closer, double %distance, double %least{{$}}
; CHECK: select i1 %closer, ptr addrspace(1) %at, ptr addrspace(1) %best, !unpredictable
; CODE-LABEL: nearest:
; CODE: cmpl $0, %fs:cairn_mutator@TPOFF
; CODE: cmova
; CODE: ret
; NONE-NOT: unpredictable
define ptr addrspace(1) @nearest(ptr addrspace(1) %list, double %x) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %best = phi ptr addrspace(1) [ %list, %entry ], [ %best.next, %loop ]
  %least = phi double [ 1.0e9, %entry ], [ %least.next, %loop ]
  %place = getelementptr i8, ptr addrspace(1) %at, i64 8
  %there = load double, ptr addrspace(1) %place
  %difference = fsub double %there, %x
  %distance = fmul double %difference, %difference
  %closer = fcmp olt double %distance, %least
  %used = fadd double %least, %x
  store volatile double %used, ptr addrspace(1) %place
  %least.next = select i1 %closer, double %distance, double %least
  %best.next = select i1 %closer, ptr addrspace(1) %at, ptr addrspace(1) %best
  %next = load ptr addrspace(1), ptr addrspace(1) %at
  %done = icmp eq ptr addrspace(1) %next, %list
  br i1 %done, label %exit, label %loop
exit:
  ret ptr addrspace(1) %best.next
}
