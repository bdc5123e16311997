; statepoints-original, "GC Transitions": bit 0 of the flags is set, the operands are carried over; and
; as its last paragraph has it, on x86-64 the lowering is nothing. Wrong: flags 0, or operands lost.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints %s | llc -o - | FileCheck --check-prefix=ASM %s
target triple = "x86_64-unknown-linux-gnu"

@flag = thread_local global i32 0, align 4
declare void @foo()

; CHECK-LABEL: define ptr addrspace(1) @test1(
; CHECK: @foo, i32 0, i32 1, i32 0, i32 0) [ "gc-transition"(ptr @flag), "gc-live"(ptr addrspace(1) %obj) ]
; CHECK: ret ptr addrspace(1) %obj.relocated
; ASM-LABEL: test1:
; ASM: callq foo
; ASM: retq
define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example" {
  call void @foo() [ "gc-transition"(ptr @flag) ]
  ret ptr addrspace(1) %obj
}
