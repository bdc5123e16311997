; An argument of anyregcc that is null or 0 lies in the zero register of AArch64, whose number is the stack pointer's. The
; stack pointer as an argument lies in a register of its own.
; What would go wrong: the record is refused; the stack pointer is taken for the value, or 0 for the stack pointer.
; RUN: for o in 0 1 2 3 s; do %cairn-cc --target=aarch64-linux-gnu -O$o -c %s -o %t.o && %cairn frames --points %t.o | FileCheck %s || exit 1; done
; CHECK-LABEL: function find:
; CHECK: argument reference: constant 0
; CHECK-LABEL: function find_stack:
; CHECK: argument integer of 64 bits: x{{[0-9]+$}}
; CHECK-LABEL: function find_saved_stack:
; CHECK: argument pointer: x{{[0-9]+$}}
target triple = "aarch64-unknown-linux-gnu"

define void @find(ptr addrspace(1) %object) gc "statepoint-example" {
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 7, i32 20, ptr null, i32 2, ptr addrspace(1) null, ptr addrspace(1) %object)
  ret void
}
define void @find_stack(ptr addrspace(1) %object) gc "statepoint-example" {
  %sp = call i64 @llvm.read_register.i64(metadata !0)
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 8, i32 20, ptr null, i32 2, i64 %sp, ptr addrspace(1) %object)
  ret void
}
define void @find_saved_stack(ptr addrspace(1) %object) gc "statepoint-example" {
  %sp = call ptr @llvm.stacksave.p0()
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 9, i32 20, ptr null, i32 2, ptr %sp, ptr addrspace(1) %object)
  ret void
}
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.read_register.i64(metadata)
declare ptr @llvm.stacksave.p0()
!0 = !{!"sp"}
