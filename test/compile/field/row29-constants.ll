; Field row 29: relocates of constants and locals break the machine code of unwind edges. Ours emits none,
; anywhere.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -verify-machineinstrs -filetype=obj %t.ll -o /dev/null
target triple = "x86_64-unknown-linux-gnu"
@object = external addrspace(1) global i64
declare void @foo()
declare i32 @__gcc_personality_v0(...)
; CHECK-NOT: gc.relocate
; CHECK: landingpad
; CHECK-NOT: gc.relocate
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @f(i1 %c) gc "statepoint-example" personality ptr @__gcc_personality_v0 {
entry:
  %p = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) @object
  invoke void @foo() to label %normal unwind label %pad
normal:
  ret ptr addrspace(1) %p
pad:
  %exception = landingpad token cleanup
  ret ptr addrspace(1) %p
}
