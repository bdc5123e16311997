; Field row 9: a variadic callee. LLVM 22's statepoint does not set %al, the number of vector registers,
; so that a double is lost; and a variadic callee with a result it cannot wrap at all. Ours never wraps
; one: a function of fixed arity stands between.
; RUN: opt -passes=rewrite-statepoints-for-gc %s | llc -o - | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: llc %t.ll -o - | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
declare void @report(i32, ...)
; LLVM-LABEL: f:
; LLVM-NOT: movb $1, %al
; LLVM: callq report
; CHECK: movb $1, %al
; CHECK-NEXT: {{callq|jmp[q]?}} {{report|\*%r}}
define ptr addrspace(1) @f(ptr addrspace(1) %p, double %x) gc "statepoint-example" {
  call void (i32, ...) @report(i32 1, double %x)
  ret ptr addrspace(1) %p
}
