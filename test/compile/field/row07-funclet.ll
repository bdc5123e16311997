; Field row 7: exception handling by funclets. LLVM 22 reads a landing pad that is not there and crashes;
; ours reloads the reference in the handler from a described slot of the frame.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
target triple = "x86_64-pc-windows-msvc"
declare void @foo()
declare void @use(ptr addrspace(1))
declare i32 @__CxxFrameHandler3(...)
; CHECK: invoke token {{.*}}@foo
; CHECK: cleanuppad
; CHECK: load ptr addrspace(1), ptr
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
  invoke void @foo() to label %normal unwind label %pad
normal:
  ret ptr addrspace(1) %p
pad:
  %cleanup = cleanuppad within none []
  call void @use(ptr addrspace(1) %p) [ "funclet"(token %cleanup) ]
  cleanupret from %cleanup unwind to caller
}
