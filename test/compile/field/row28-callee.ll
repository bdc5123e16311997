; Field row 28: a callee that is element N of an aggregate passed by value. LLVM 22 calls element 0.
; RUN: opt -passes=rewrite-statepoints-for-gc %s | llc -o - | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints %s -o %t.bc
; RUN: llc -O0 %t.bc -o - | FileCheck --check-prefix=O0 %s
; RUN: llc -O2 %t.bc -o - | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
; LLVM-LABEL: second:
; LLVM: callq *%rdi
; O0-LABEL: second:
; O0-NOT: callq *%rdi
; O0: callq *%r{{[a-z0-9]+}}
; CHECK-LABEL: second:
; CHECK: callq *%rsi
define ptr addrspace(1) @second({ptr, ptr} %functions, ptr addrspace(1) %p) gc "statepoint-example" {
  %f = extractvalue {ptr, ptr} %functions, 1
  call void %f()
  ret ptr addrspace(1) %p
}
