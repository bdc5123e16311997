; Field row 34: LLVM 22 cannot keep what is relocated on an unwind edge in a register. Ours puts no relocate
; there, with the register options or without them.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -verify-machineinstrs -filetype=obj %t.ll -o /dev/null
; RUN: llc -verify-machineinstrs -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true -filetype=obj %t.ll -o /dev/null
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
declare i32 @__gcc_personality_v0(...)
; CHECK: pad:
; CHECK: landingpad token
; CHECK-NOT: gc.relocate
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  invoke void @foo() to label %normal unwind label %pad
normal:
  ret ptr addrspace(1) %p
pad:
  %exception = landingpad token cleanup
  ret ptr addrspace(1) %p
}
