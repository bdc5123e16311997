; Field row 4: a root in a local whose address is taken. LLVM 22 and its verifier say nothing and the
; collector never sees it; ours describes it to the collector at each statepoint, and our verifier finds LLVM's.
; RUN: opt -passes='rewrite-statepoints-for-gc,verify<safepoint-ir>' %s -o %t.llvm.bc
; RUN: not %cairn verify %t.llvm.bc 2>&1 | FileCheck --check-prefix=LOST %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; LOST: [undescribed-alloca]
declare void @foo()
declare void @fill(ptr)
; CHECK: "deopt"({{.*}}ptr %root
; CHECK: load ptr addrspace(1), ptr %root
define ptr addrspace(1) @f() gc "statepoint-example" {
  %root = alloca ptr addrspace(1)
  store ptr addrspace(1) null, ptr %root
  call void @fill(ptr %root)
  call void @foo()
  %p = load ptr addrspace(1), ptr %root
  ret ptr addrspace(1) %p
}
