; stackmaps-v2, "llvm.experimental.stackmap": in a shadow "neither the end of the basic block nor another call" of a point
; "may occur". LLVM 22 pads a shadow before calls, and not before statepoints: a thread would return into code that was
; patched meanwhile. A fence is a stackmap without shadow and values.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,describe-points -S %s -o %t.ll && FileCheck %s < %t.ll
; A second run makes the fences anew.
; RUN: %cairn opt -p describe-points -S %t.ll | FileCheck %s
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints,describe-points -S %t.ll | FileCheck %s
; RUN: llc -O2 -filetype=obj -enable-patchpoint-liveness=false %t.ll -o %t.o && llvm-readobj --stackmap %t.o | FileCheck --check-prefix=PLACES %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @g()
declare void @leaf() "gc-leaf-function"

; CHECK-LABEL: define void @straight
; CHECK: stackmap(i64 77, i32 32
; CHECK-NEXT: stackmap(i64 0, i32 0, i64 4846245170335664462, i64 3, i64 0, i64 0, i64 4)
; CHECK-NEXT: gc.statepoint
; CHECK-NEXT: gc.statepoint
; The shadow of 32 bytes from offset 1 + 3 on (rbp is pushed and set) ends before the fence.
; PLACES: Record ID: 77, instruction offset: [[AT:[0-9]+]]
; PLACES: Record ID: 0, instruction offset: {{3[6-9]|4[0-9]}}
define void @straight() uwtable gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 77, i32 32)
  call void @g()
  call void @g()
  ret void
}

; Another point ends the shadow; a stackmap without shadow has none; a leaf may be compiled in line.
; CHECK-LABEL: define void @ended
; CHECK: patchpoint.void(i64 2,
; CHECK-NEXT: gc.statepoint
; CHECK-NEXT: stackmap(i64 3, i32 0
; CHECK-NEXT: gc.statepoint
; CHECK-NEXT: stackmap(i64 4, i32 8
; CHECK-NEXT: call void @leaf()
; CHECK-NEXT: stackmap(i64 0, i32 0
; CHECK-NEXT: gc.statepoint
define void @ended() uwtable gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 2, i32 5, ptr null, i32 0)
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 0)
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 4, i32 8)
  call void @leaf()
  call void @g()
  ret void
}

; Blocks may be joined by the code generator; a loop brings a shadow back to its start.
; CHECK-LABEL: define void @loop
; CHECK: {{^}}head:
; CHECK-NEXT: stackmap(i64 0, i32 0
; CHECK-NEXT: gc.statepoint
; CHECK: {{^}}other:
; CHECK-NEXT: gc.statepoint
; CHECK: {{^}}body:
; CHECK-NEXT: stackmap(i64 5, i32 8
; CHECK: {{^}}after:
; CHECK-NEXT: stackmap(i64 0, i32 0
; CHECK-NEXT: gc.statepoint
define void @loop(i1 %a, i1 %b, i1 %c) uwtable gc "statepoint-example" {
  br label %head
head:
  call void @g()
  br i1 %a, label %other, label %body
other:
  call void @g()
  br label %body
body:
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 5, i32 8)
  br i1 %b, label %head, label %next
next:
  br label %after
after:
  call void @g()
  ret void
}
