; Field row 23: by default LLVM 22 spills and reloads every root at every call. With the code generator's
; options that Cairn sets, roots stay in callee-saved registers over calls, with no store and no load.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints %s | llc -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true -o - | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
; CHECK-LABEL: f:
; CHECK: movq %rsi, %{{r[bx1-9]+}}
; CHECK: movq %rdi, %{{r[bx1-9]+}}
; CHECK: callq foo
; CHECK-NOT: (%rsp)
; CHECK: callq foo
; CHECK-NOT: (%rsp)
; CHECK: retq
define ptr addrspace(1) @f(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @foo()
  call void @foo()
  store ptr addrspace(1) %q, ptr addrspace(1) %p
  ret ptr addrspace(1) %p
}
