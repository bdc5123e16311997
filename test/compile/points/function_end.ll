; A record without bytes at the end of a function's code is left out, since no thread gets there. A region with bytes
; stays at the end: its patch may leave the function. What would go wrong: the object is refused, or the record gets the
; address of the next function.
; RUN: for o in 0 2; do %cairn-cc -O$o -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s || exit 1; done
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @g(i64)

; CHECK-NOT: function
; CHECK: function leaves: code size [[#%u,SIZE:]], points 1
; CHECK-NEXT: +0x[[#%x,SIZE-16]]: patchpoint of 16 bytes, id 2
define void @leaves(i64 %x) gc "statepoint-example" {
  call void @g(i64 %x)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 2, i32 16, ptr null, i32 0, i64 %x)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 0, i64 %x)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 4, i32 0, ptr null, i32 0, i64 %x)
  unreachable
}

; CHECK-NEXT: cfa
; CHECK-NEXT: value integer of 64 bits
; CHECK-NEXT: function entered: code size {{[0-9]+}}, points 1
; CHECK-NEXT: +0x{{[0-9a-f]+}}: shadow of 0 bytes, id 6
define void @entered() gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 6, i32 0)
  ret void
}
; CHECK-NOT: shadow
