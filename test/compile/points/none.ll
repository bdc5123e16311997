; Points in a module without safepoints: an object that is not rewritten cannot be linked, as one with safepoints, because
; the runtime would find none of its points. What would go wrong: the points are invisible, or the guard stays in a
; rewritten object, or in a module without points.
; RUN: %cairn-cc -O2 -fcairn-safepoints=none -S -emit-llvm %s -o %t.ll && grep -q cairn_object_that_needs_cairn_frames_rewrite %t.ll
; RUN: llc -O2 -relocation-model=pic -enable-patchpoint-liveness=false -filetype=obj %t.ll -o %t.raw.o && not clang %t.raw.o -o %t 2>&1 | FileCheck %s
; CHECK: cairn_object_that_needs_cairn_frames_rewrite
; RUN: %cairn-cc -O2 -fcairn-safepoints=none %s -o %t && %t && %cairn frames --points %t | FileCheck --check-prefix=POINTS %s
; POINTS: shadow of 8 bytes, id 7
; RUN: grep -v stackmap %s > %t.no.ll && %cairn-cc -O2 -fcairn-safepoints=none -S -emit-llvm %t.no.ll -o - | not grep cairn_object_that_needs_cairn_frames_rewrite
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
define i32 @main() gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 7, i32 8)
  ret i32 0
}
