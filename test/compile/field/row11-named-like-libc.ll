; Field row 11: LLVM 22 takes each function that is named like one of the C library's for a leaf, whoever
; defines it. For ours a leaf is one for a written reason only, and each call's can be listed.
; RUN: opt -passes=rewrite-statepoints-for-gc -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --explain-calls %s -o /dev/null | FileCheck --check-prefix=WHY %s
; LLVM: call ptr addrspace(1) @malloc(i64 8)
declare ptr addrspace(1) @malloc(i64)
declare i32 @printf(ptr, ...)
; CHECK: gc.statepoint{{.*}}@malloc
; WHY: parse{{.*}}malloc
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %q = call ptr addrspace(1) @malloc(i64 8)
  store ptr addrspace(1) %q, ptr addrspace(1) %p
  ret ptr addrspace(1) %q
}
