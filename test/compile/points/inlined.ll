; Stackmaps stay calls where LLVM inlines them into functions that catch exceptions, and readonly ones stay. What would
; go wrong: LLVM's inliner makes invokes of stackmaps, which are no valid IR, or the optimiser deletes a readonly stackmap.
; RUN: %cairn-cc -O2 -S -emit-llvm %s -o - | FileCheck %s
; RUN: opt -S -passes='default<O2>' -disable-verify %s | FileCheck --check-prefix=LLVM %s
; CHECK-LABEL: define i64 @caught(
; CHECK: call void {{.*}}@llvm.experimental.stackmap(i64 1, i32 8, i64 %
; CHECK: load i64
; CHECK: call void {{.*}}@llvm.experimental.stackmap(i64 2, i32 8, i64 %
; CHECK-NOT: load i64
; CHECK: }
; CHECK-NOT: invoke {{.*}}stackmap
; LLVM: invoke {{.*}}stackmap(i64 1,
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i32 @__gxx_personality_v0(...)

define internal i64 @points(ptr addrspace(1) %cell) gc "statepoint-example" {
  %a = load i64, ptr addrspace(1) %cell
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, i64 %a)
  %b = load i64, ptr addrspace(1) %cell
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 2, i32 8, i64 %b) readonly
  %c = load i64, ptr addrspace(1) %cell
  %d = add i64 %a, %c
  ret i64 %d
}

define i64 @caught(ptr addrspace(1) %cell) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %sum = invoke i64 @points(ptr addrspace(1) %cell) to label %done unwind label %pad
done:
  ret i64 %sum
pad:
  %caught = landingpad { ptr, i32 } cleanup
  ret i64 -1
}
