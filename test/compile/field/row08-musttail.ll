; Field row 8: musttail. LLVM 22 makes a musttail statepoint, which its verifier refuses; the frame is gone
; in the callee, so ours leaves the call alone. Calls in tail position that the optimiser marked stay
; tail calls.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc %t.ll -o - | FileCheck --check-prefix=ASM %s
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
declare ptr addrspace(1) @g(ptr addrspace(1))
; CHECK-LABEL: define ptr addrspace(1) @f(
; CHECK: gc.statepoint{{.*}}@foo
; CHECK: musttail call ptr addrspace(1) @g(ptr addrspace(1) %p.relocated)
; CHECK-NEXT: ret
; ASM-LABEL: f:
; ASM: jmp g
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %r = musttail call ptr addrspace(1) @g(ptr addrspace(1) %p)
  ret ptr addrspace(1) %r
}
; CHECK-LABEL: define ptr addrspace(1) @tail(
; CHECK: musttail call ptr addrspace(1) @g(
; ASM-LABEL: tail:
; ASM: jmp g
define ptr addrspace(1) @tail(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call ptr addrspace(1) @g(ptr addrspace(1) %p)
  ret ptr addrspace(1) %r
}
