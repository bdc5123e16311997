; An argument of anyregcc that is null or 0 lies in the zero register of AArch64, whose number is the stack pointer's.
; What would go wrong: the record is refused, or the stack pointer is taken for the value.
; RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s
; CHECK: patchpoint
; CHECK: constant 0
; CHECK-NOT: {{[ =]sp$}}
target triple = "aarch64-unknown-linux-gnu"

define void @find(ptr addrspace(1) %object) gc "statepoint-example" {
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 7, i32 20, ptr null, i32 2, ptr addrspace(1) null, ptr addrspace(1) %object)
  ret void
}
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
