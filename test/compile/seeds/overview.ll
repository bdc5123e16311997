; statepoints-original and statepoints-later, "Overview": the first example. The object is listed and
; relocated, and what is returned is the relocated value. Lowered as there: the object is spilled by
; a push, found there by the collector, and popped. Wrong: a return of %obj; a location that is no
; stack slot of the call.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | llc -o - | FileCheck --check-prefix=ASM %s
; RUN: %cairn opt -p rewrite-statepoints %s | llc -filetype=obj -o %t.o
; RUN: llvm-readobj --stackmap %t.o | FileCheck --check-prefix=MAP %s
target triple = "x86_64-unknown-linux-gnu"

declare void @foo()

; CHECK: define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example"
; CHECK-NEXT: [[T:%.*]] = call token {{.*}}@llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %obj) ]
; CHECK-NEXT: %obj.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T]], i32 0, i32 0)
; CHECK-NEXT: ret ptr addrspace(1) %obj.relocated

; ASM-LABEL: test1:
; ASM: pushq %rax
; ASM: movq %rdi, (%rsp)
; ASM: callq foo
; ASM: movq (%rsp), %rax
; ASM: popq %rcx
; ASM: retq

; "Stack Maps: callsite 2882400000"; calling convention, flags, no deopt locations, one pair.
; MAP: Record ID: 2882400000
; MAP: 5 locations:
; MAP: Constant 0
; MAP: Constant 0
; MAP: Constant 0
; MAP: Indirect [R#7 + 0]
; MAP: Indirect [R#7 + 0]
; MAP: 0 live-outs
define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %obj
}
