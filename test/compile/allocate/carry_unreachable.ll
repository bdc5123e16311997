; The allocation pointer in a register where an unreachable block has an edge into the loop, without safepoints, which
; keeps such blocks. What would go wrong: the phi of the pointer lacks the edge, and the module is broken.
; RUN: %cairn opt -p layouts,allocate,promote-allocation-pointer -S %s | FileCheck %s
; RUN: %cairn-cc -O0 -fcairn-safepoints=none -c %s -o /dev/null
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)

; CHECK-LABEL: @loop(
; CHECK: again:
; CHECK: phi i64 [ %{{.*}}, %0 ], [ %{{.*}}, %{{.*}} ], [ poison, %nowhere ], [ poison, %nowhere ]
define ptr addrspace(1) @loop(i64 %n) gc "statepoint-example" {
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ], [ 7, %nowhere ], [ 7, %nowhere ]
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %again, label %done
done:
  ret ptr addrspace(1) %a
nowhere:
  switch i64 %n, label %again [ i64 1, label %again ]
}
