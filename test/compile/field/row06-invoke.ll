; Field row 6: an invoke with the ordinary landing pad. LLVM 22 leaves a broken module; ours keeps the
; exception pointer and the selector, and the reference is the moved one on both edges.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: llc -verify-machineinstrs -filetype=obj %t.ll -o /dev/null
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
declare i32 @__gcc_personality_v0(...)
declare void @keep(ptr, ptr addrspace(1))
; CHECK: invoke token {{.*}}@foo
; CHECK: landingpad { ptr, i32 }
; CHECK: resume { ptr, i32 }
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  invoke void @foo() to label %normal unwind label %pad
normal:
  ret ptr addrspace(1) %p
pad:
  %exception = landingpad {ptr, i32} cleanup
  %pointer = extractvalue {ptr, i32} %exception, 0
  call void @keep(ptr %pointer, ptr addrspace(1) %p)
  resume {ptr, i32} %exception
}
