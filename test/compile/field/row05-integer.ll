; Field row 5: a reference hidden in an integer over a call. LLVM 22's pass and its verifier accept it,
; and what comes back is stale; ours refuses to make a reference of an integer, and the verifier finds the
; integer that lives over the safepoint in other producers' output.
; RUN: opt -passes='rewrite-statepoints-for-gc,verify<safepoint-ir>' %s -o %t.llvm.bc
; RUN: not %cairn opt -p rewrite-statepoints -S %s -o /dev/null 2>&1 | FileCheck %s
; RUN: not %cairn verify %t.llvm.bc 2>&1 | FileCheck --check-prefix=LOST %s
; CHECK: in function 'f': {{.*}}[integer-to-reference]
; LOST: in function 'f': {{.*}}[integer-to-reference]
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %hidden = ptrtoint ptr addrspace(1) %p to i64
  call void @foo()
  %q = inttoptr i64 %hidden to ptr addrspace(1)
  ret ptr addrspace(1) %q
}
