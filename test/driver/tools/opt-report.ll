; `cairn opt --report`: the passes tell what they did. Without the option nothing is said, so that a
; build stays silent, and what is made does not depend on it.
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o %t.ll 2>&1 \
; RUN:   | count 0
; RUN: %cairn opt --report -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s \
; RUN:   -o %t.again.ll 2>&1 | FileCheck %s
; RUN: cmp %t.ll %t.again.ll

target triple = "x86_64-unknown-linux-gnu"

declare void @g()

; CHECK: remark: in function 'f': {{.*}}1 other safepoint, 0 leaf calls, {{[12]}} relocation{{s?}} [safepoints]
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @g()
  ret ptr addrspace(1) %p
}

; CHECK: remark: in function 'empty': {{.*}} [safepoints]
define void @empty() gc "statepoint-example" {
  ret void
}
